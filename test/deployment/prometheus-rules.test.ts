import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ERRORS } from '../../src/domain/errors.ts'
import { readManifest } from './manifest.ts'

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string }
}

const rules: Rule[] = readManifest('deploy/prometheus-rules.yaml')[0].groups[0].rules

/** Metric → its labels. docs/metrics.md lists exactly what the gateway exposes: another test holds the two together. */
const metrics = new Map(
  [...readFileSync('docs/metrics.md', 'utf8').matchAll(/^\| `(switchyard_\w+)` \| (\w+) \| ([^|]+) \|/gm)].map(
    ([, name = '', type, labels = '']) => [
      type === 'histogram' ? `${name}_bucket` : name,
      [...labels.matchAll(/`(\w+)`/g)].map((match) => match[1]),
    ],
  ),
)

describe('the alerts for Prometheus', () => {
  for (const { alert, expr, labels, annotations } of rules) {
    test(`${alert} asks for metrics, labels and codes that there are`, () => {
      for (const [name] of expr.matchAll(/switchyard_\w+/g)) assert.ok(metrics.has(name), `there is no ${name}`)
      for (const [, name = '', selector = ''] of expr.matchAll(/(switchyard_\w+)\{([^}]*)\}/g))
        for (const [, label] of selector.matchAll(/(\w+)=/g))
          assert.ok(metrics.get(name)?.includes(label), `${name} has no ${label}`)
      for (const [, codes = ''] of expr.matchAll(/code=~?"([^"]+)"/g))
        for (const code of codes.split('|')) assert.ok(code === 'ok' || code in ERRORS, `there is no code ${code}`)
      assert.match(labels.severity, /^(page|ticket)$/)
      const known = new Set(['instance', ...[...metrics.values()].flat()])
      for (const [, label] of annotations.summary.matchAll(/\$labels\.(\w+)/g)) assert.ok(known.has(label))
    })
  }

  test('are explained in docs/operating.md, each of them', () => {
    const rows = [...readFileSync('docs/operating.md', 'utf8').matchAll(/^\| `(Switchyard\w+)` \|/gm)]
    assert.deepEqual(
      rows.map((match) => match[1]),
      rules.map(({ alert }) => alert),
    )
  })
})
