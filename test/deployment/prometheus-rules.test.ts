import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ALERT_RULES } from '../../src/domain/alerts/rules.ts'
import { ERRORS } from '../../src/domain/errors.ts'
import { requireDebianPackage } from '../debian-package.ts'
import { readManifest } from './manifest.ts'

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
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

  test('and those of the gateway have a runbook, each of them, and lead to it', () => {
    const headings = [...readFileSync('docs/running/runbooks.md', 'utf8').matchAll(/^### (\w+)$/gm)]
    assert.deepEqual(
      headings.map((match) => match[1]).sort(),
      [...rules.map(({ alert }) => alert), ...ALERT_RULES].sort(),
    )
    for (const { alert, annotations } of rules)
      assert.equal(annotations.runbook, `docs/running/runbooks.md#${alert.toLowerCase()}`)
  })
})

describe('the dashboard for Grafana', () => {
  const text = readFileSync('deploy/grafana/switchyard.json', 'utf8')
  const panels: { title: string; gridPos: object; targets: { expr: string }[] }[] = JSON.parse(text).panels

  for (const { title, targets } of panels) {
    test(`${title} asks for metrics and labels that there are`, () => {
      for (const { expr } of targets) {
        const asked = [...expr.matchAll(/switchyard_\w+/g)].map(([name]) => name)
        assert.ok(asked.length > 0)
        for (const name of asked) assert.ok(isExposed(name), `there is no ${name}`)
        const labels = new Set(['instance', 'le', ...asked.flatMap((name) => metrics.get(name) ?? [])])
        for (const [, by = ''] of expr.matchAll(/by \(([^)]*)\)/g))
          for (const label of by.split(', ')) assert.ok(labels.has(label), `${expr} has no ${label}`)
      }
    })
  }

  test('has expressions that Prometheus reads', () => {
    requireDebianPackage('prometheus', () => existsSync('/usr/bin/promtool'))
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-grafana-'))
    const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll(/\$__\w+/g, '5m')))
    const recorded = expressions.map((expr, place) => ({ record: `panel:${place}`, expr }))
    writeFileSync(join(folder, 'rules.yaml'), JSON.stringify({ groups: [{ name: 'panels', rules: recorded }] }))
    try {
      execFileSync('promtool', ['check', 'rules', join(folder, 'rules.yaml')], { encoding: 'utf8', stdio: 'pipe' })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('has no two panels in the same place', () => {
    assert.equal(new Set(panels.map(({ gridPos }) => JSON.stringify(gridPos))).size, panels.length)
  })
})

/** Process metrics are those of prom-client: docs/metrics.md says only their prefix. */
const PROCESS = ['switchyard_process_cpu_seconds_total', 'switchyard_process_resident_memory_bytes']

function isExposed(name: string): boolean {
  return metrics.has(name) || PROCESS.includes(name)
}
