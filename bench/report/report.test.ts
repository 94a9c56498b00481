import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StageResult } from '../load/open-loop.ts'
import type { TogetherRow } from '../parts/together.ts'
import type { BenchResult } from '../result.ts'
import { HOP, PIPE } from '../run/contestants.ts'
import { OURS } from '../run/gateway.ts'
import type { Family } from '../run/scene.ts'
import { chartSvg } from './chart.ts'
import { reportText } from './report.ts'
import { markdownTable, tableText } from './table.ts'
import { verdicts } from './verdicts.ts'
import { between, summary } from './write-docs.ts'

const COSTS: [string, Family, number][] = [
  [HOP, 'openai', 100],
  [OURS, 'openai', 130],
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
  const stage = (rate: number, ok: number, shed: number): StageResult => ({
    ...{ rate, due: ok + shed, ok, shed, failed: 0, firstError: null, unsent: 0, unanswered: 0 },
    ...{ okMs: { p50: 2, p99: 8 }, shedMs: { p50: 2, p99: 8 }, lateMs: { p50: 2, p99: 8 }, okEachMs: [], okDueMs: [] },
  })
  const streams = COSTS.map(([name, family, cpu], index) => ({
    ...{ ...(together[index] as TogetherRow), name: name === HOP ? PIPE : name, family, pace: 'paced' as const },
    eachRound: [name === 'Portkey' ? cpu : cpu + 10],
  }))
  return {
    ...{ startedAt: '2026-11-15T10:00:00.000Z', node: 'v24.0.0', processor: 'An example', notPinned: null },
    ...{ quick: false, problems: [], start: { milliseconds: 900, firstMilliseconds: 1_200 } },
    ...{ together, saturation, latency, messages: together.map((row) => ({ ...row, hopRatio: 1.1 })) },
    families: (['gemini', 'bedrock'] as const).map((family) => ({
      ...(together[0] as TogetherRow),
      family,
      hopRatio: 1.2,
    })),
    memory: [{ name: OURS, family: 'openai', rssIdleBytes: 110e6, rssInFlightBytes: 200e6, failed: 0 }],
    bodies: together.map((row) => ({ ...row, body: '1m' as const, copyRatio: 1.8 })),
    eventLoop: [
      { what: 'calls alone', longestMs: 6, longestSpread: [5, 7], worstMs: 9, p50Ms: 50, p99Ms: 52, failed: 0 },
    ],
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
    overload: {
      ...{ saturationRate: 5_000, recoveryMs: 100, missingFromLog: 0, rssPeakBytes: 200e6 },
      ...{ before: stage(2_500, 5_000, 0), during: stage(10_000, 30_000, 30_000), after: stage(2_500, 10_000, 0) },
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
  assert.equal(holding.length, 26)
  assert.deepEqual(
    holding.filter(({ holds }) => holds !== true),
    [],
  )
  const result = exampleResult()
  for (const row of result.together) row.eachRound = row.eachRound.map((cost) => (row.name === HOP ? 92 : cost))
  const missed = verdicts(result).filter(({ holds }) => holds === false)
  assert.deepEqual(
    missed.map(({ figure }) => figure),
    ['1.41 × bare proxy'],
  )
})

test('an unmeasured target has no verdict', () => {
  const result = { ...exampleResult(), latency: [], start: null, overload: null, streams: [], streamMemory: null }
  assert.equal(verdicts(result).filter(({ holds }) => holds === null).length, 12)
  assert.match(reportText(result), /not measured/)
})

test('the report has every table, the date and no undefined value', () => {
  const text = reportText(exampleResult())
  for (const part of [
    '2026-11-15',
    'Switchyard, OpenAI family',
    'Portkey',
    'Event loop',
    'Overload',
    'Larger bodies',
    'first content',
  ])
    assert.ok(text.includes(part), part)
  assert.doesNotMatch(text, /NaN|undefined|\[object/)
})

test('the chart is well-formed and follows the reader’s theme', () => {
  const svg = chartSvg({ ...exampleResult(), processor: 'A <fast> & cheap one' })
  const open: string[] = []
  for (const [, closing, name, self] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
    if (closing === '/') assert.equal(open.pop(), name)
    else if (self !== '/') open.push(name ?? '')
  }
  assert.deepEqual(open, [])
  assert.match(svg, /prefers-color-scheme: dark/)
  assert.match(svg, /A &lt;fast&gt; &amp; cheap one/)
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/)
})

test('figures replace only the text between the markers', () => {
  const page = 'before\n<!-- bench: written by npm run bench -- --write-docs -->\nold\n<!-- /bench -->\nafter'
  const filled = between(page, summary(exampleResult()))
  assert.match(filled, /^before\n<!-- bench/)
  assert.match(filled, /<!-- \/bench -->\nafter$/)
  assert.ok(filled.includes('| Switchyard, OpenAI family |') && !filled.includes('old'))
  assert.equal(between(filled, summary(exampleResult())), filled)
  assert.throws(() => between('no place', 'x'), /no place for figures/)
})
