import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pace } from '../load/events.ts'
import type { TogetherRow } from '../parts/together.ts'
import type { BenchResult } from '../result.ts'
import { HOP, PIPE } from '../run/contestants.ts'
import { OURS } from '../run/gateway.ts'
import type { Family } from '../run/scene.ts'
import { reportText } from './report.ts'
import { markdownTable, tableText } from './table.ts'
import { verdicts } from './verdicts.ts'
import { between, figures } from './write-docs.ts'

const COSTS: [string, Family, number][] = [
  [HOP, 'openai', 100],
  [OURS, 'openai', 124],
  [OURS, 'anthropic', 150],
  ['Portkey', 'openai', 700],
]

/** Every target holds. */
function exampleResult(): BenchResult {
  const counts = { requests: 10_000, shed: 0, errors: 0 }
  const together = COSTS.map(([name, family, cpu]) => ({
    ...{ name, family, ...counts, cpuMicroseconds: cpu, servingMicroseconds: cpu * 0.8, hopRatio: cpu / 100 },
    ...{ hopRatioSpread: [cpu / 110, cpu / 90] as [number, number], eachRound: [cpu, cpu] },
  }))
  const saturation = COSTS.map(([name, family, cpu]) => ({
    ...{ name, family, ...counts, requestsPerSecond: 1e6 / cpu, requestsPerSecondSpread: null, p50Ms: 3, p99Ms: 6 },
    ...{ cpuMicroseconds: cpu, coreShare: 0.98 },
  }))
  const latency = COSTS.map(([name, family, cpu]) => ({
    ...{ name, family, rate: 500, added: { p50Ms: cpu / 300, p99Ms: cpu / 100 }, addedP50Spread: null },
    ...{ hopRatio: { p50: cpu / 100, p99: cpu / 100 }, calls: 10_000, counted: 8_000, failed: 0 },
    ...{ lateP99Ms: 0.3, rounds: 10 },
  }))
  const ofPace = (pace: Pace) =>
    COSTS.map(([name, family, cpu], index) => ({
      ...{ ...(together[index] as TogetherRow), name: name === HOP ? PIPE : name, family, pace },
      eachRound: [name === 'Portkey' ? cpu : cpu + 10],
    }))
  const streams = [...ofPace('paced'), ...ofPace('all at once')]
  return {
    ...{ startedAt: '2026-11-15T10:00:00.000Z', node: 'v24.0.0', processor: 'An example', notPinned: null },
    ...{ quick: false, problems: [], start: { milliseconds: 900, firstMilliseconds: 1_200 } },
    ...{ together, saturation, latency },
    memory: [{ name: OURS, family: 'openai', rssIdleBytes: 105e6, rssInFlightBytes: 200e6, failed: 0 }],
    streams,
    firstContent: latency.map((row) => ({
      ...row,
      rate: 300,
      events: { addedP50Ms: 0.1, addedP99Ms: 0.4, joined: 0, count: 1_000 },
    })),
    streamMemory: {
      ...{ open: 5_000, notOpen: 0, bytesEach: 50e3, failed: 0, firstError: null, leftRunning: 0 },
      growth: [20, 60, 100].map((streams) => ({ streams, rssBytes: 150e6, heapBytes: 30e6 })),
    },
  }
}

test('tables are aligned', () => {
  const lines = [
    ['', 'one', 'two'],
    ['name', '1', '22222'],
  ]
  assert.equal(tableText(lines), '      one    two\nname    1  22222\n')
  assert.equal(markdownTable(lines), '|  | one | two |\n| --- | --: | --: |\n| name | 1 | 22222 |\n')
})

test('every target has a verdict, and a missed one is reported', () => {
  const holding = verdicts(exampleResult())
  assert.equal(holding.length, 22)
  assert.deepEqual(
    holding.filter(({ holds }) => holds !== true),
    [],
  )
  const result = exampleResult()
  for (const row of result.together) row.eachRound = row.eachRound.map((cost) => (row.name === HOP ? 88 : cost))
  const missed = verdicts(result).filter(({ holds }) => holds === false)
  assert.deepEqual(
    missed.map(({ figure }) => figure),
    ['1.41 × bare proxy'],
  )
})

test('an unmeasured target has no verdict', () => {
  const result = { ...exampleResult(), latency: [], start: null, streams: [], streamMemory: null }
  assert.equal(verdicts(result).filter(({ holds }) => holds === null).length, 13)
  assert.match(reportText(result), /not measured/)
})

test('the report has every table, the date and no undefined value', () => {
  const text = reportText(exampleResult())
  for (const part of ['2026-11-15', 'Switchyard, OpenAI family', 'Portkey', 'Alone on its core', 'first content'])
    assert.ok(text.includes(part), part)
  assert.doesNotMatch(text, /NaN|undefined|\[object/)
})

test('figures replace only the text between the markers', () => {
  const page = 'before\n<!-- bench: written by npm run bench -- --write-docs -->\nold\n<!-- /bench -->\nafter'
  const filled = between(page, figures(exampleResult()))
  assert.match(filled, /^before\n<!-- bench/)
  assert.match(filled, /<!-- \/bench -->\nafter$/)
  assert.ok(/^\| what \| target \|/m.test(filled) && !filled.includes('\nold\n'))
  assert.equal(between(filled, figures(exampleResult())), filled)
  assert.throws(() => between('no place', 'x'), /no place for figures/)
})
