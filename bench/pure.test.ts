import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chartSvg } from './chart.ts'
import type { ClosedLoopResult } from './closed-loop.ts'
import { DIRECT, HOP, OURS } from './contestants.ts'
import { doubts } from './doubts.ts'
import { httpReader, statusOf } from './http-reader.ts'
import { latencyTogetherRows, undisturbed } from './latency-together.ts'
import { median } from './median.ts'
import { recoveryMs } from './overload.ts'
import { calmest, slowdownsIn } from './pace.ts'
import { parsePeer } from './peers.ts'
import { Samples } from './percentiles.ts'
import { reportText } from './report.ts'
import { exampleResult } from './result-example.ts'
import { inRounds } from './rounds.ts'
import { type Slice, saturationRow } from './saturation.ts'
import { markdownTable, tableText } from './table.ts'
import { togetherRows } from './together.ts'
import { verdicts } from './verdicts.ts'
import { between, summary } from './write-docs.ts'

test('percentiles are values that occurred', () => {
  const samples = new Samples()
  for (let value = 1_000; value >= 1; value--) samples.add(value)
  assert.deepEqual(samples.percentiles(), { p50: 500, p90: 900, p99: 990, p999: 999, max: 1_000 })
  samples.clear()
  assert.equal(samples.percentiles().max, 0)
})

test('more samples than the first block holds are all kept', () => {
  const samples = new Samples()
  for (let value = 0; value < 40_000; value++) samples.add(value)
  assert.equal(samples.count, 40_000)
  assert.equal(samples.percentiles().max, 39_999)
})

test('the median leaves out what is missing', () => {
  assert.equal(median([3, null, 1, 2]), 2)
  assert.equal(median([4, 1]), 2.5)
  assert.equal(median([null]), null)
})

const MESSAGES: [string, string, number][] = [
  ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 200],
  ['no body', 'HTTP/1.1 204 No Content\r\n\r\n', 204],
  ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n3;a=b\r\nyou\r\n0\r\n\r\n', 200],
  ['an error', 'HTTP/1.1 503 Busy\r\ncontent-length: 12\r\n\r\n{"code":"x"}', 503],
]
for (const [what, text, status] of MESSAGES) {
  test(`messages with ${what} are told apart, however they are cut`, () => {
    for (let size = 1; size <= text.length * 2; size++) {
      const seen: number[] = []
      const read = httpReader((head) => seen.push(statusOf(head)))
      const bytes = Buffer.from(text + text)
      for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size))
      assert.deepEqual(seen, [status, status], `in pieces of ${size}`)
    }
  })
}

test('of a refused call the beginning of the body is kept', () => {
  const seen: string[] = []
  httpReader((_head, excerpt) => seen.push(excerpt))(Buffer.from(MESSAGES[3]?.[1] ?? ''))
  assert.deepEqual(seen, ['{"code":"x"}'])
})

function slice(name: string, cpuMicroseconds: number, requests: number, paceMs: number): Slice {
  const usage = { threads: [], rssBytes: 50e6 }
  const latencyMs = { p50: 1, p90: 1, p99: 2, p999: 3, max: 4 }
  const load: ClosedLoopResult = {
    requests,
    shed: 0,
    errors: 0,
    firstError: null,
    seconds: 1,
    latencyMs,
    usage: {
      before: { ...usage, cpuMicroseconds: 0, mainThreadMicroseconds: 0 },
      after: { ...usage, cpuMicroseconds, mainThreadMicroseconds: cpuMicroseconds / 2 },
    },
    loadMicrosecondsPerRequest: 10,
    window: { fromMs: 0, toMs: 1_000 },
  }
  return { name, family: 'openai', load, paceMs }
}

test('medians are of the slices in which the core was fastest; calls are counted in all', () => {
  const slices = [
    slice('bare', 1_000, 10, 7),
    slice('ours', 3_000, 10, 7.1),
    // The host slows the core.
    ...[9, 12, 80].map((pace) => slice('bare', 2_000, 10, pace)),
    ...[10, 11, 90].map((pace) => slice('ours', 8_000, 10, pace)),
  ]
  const bare = saturationRow(slices, { name: 'bare', family: 'openai' })
  const ours = saturationRow(slices, { name: 'ours', family: 'openai' })
  assert.deepEqual([bare.cpuMicroseconds, bare.cpuMicrosecondsOfAll, bare.slices], [100, 200, { used: 1, all: 4 }])
  assert.deepEqual([ours.cpuMicroseconds, ours.servingMicroseconds, ours.requests], [300, 150, 40])
})

test('what a call costs is set against the bare proxy of the same round', () => {
  const rounds = [1, 3, 2].map((slowness) => [
    slice(HOP, 1_000 * slowness, 10, 0),
    slice('ours', 1_200 * slowness, 10, 0),
  ])
  const [bare, ours] = togetherRows([...rounds, [slice(HOP, 1_000, 10, 0), slice('ours', 2_000, 10, 0)]])
  assert.deepEqual([bare?.hopRatio, ours?.hopRatio, ours?.hopRatioSpan], [1, 1.2, [1.2, 1.2]])
  assert.deepEqual([ours?.eachRound, ours?.cpuMicroseconds], [[120, 360, 240, 200], 220])
  assert.deepEqual([ours?.servingMicroseconds, ours?.requests, ours?.errors], [110, 40, 0])
})

test('calls around which a direct call was late do not count, however long they took themselves', () => {
  const calls = (name: string, ms: number[]) => ({
    name,
    family: 'openai' as const,
    stage: { okDueMs: ms.map((_, index) => index * 100), okEachMs: ms },
  })
  // The host was away in the third; the fifth was slow by itself.
  const round = [
    calls(DIRECT, [50, 50, 80, 50, 50.5]),
    calls(HOP, [51, 51, 90, 51, 53]),
    calls(OURS, [51.5, 51.5, 70, 51.5, 56]),
  ]
  assert.deepEqual(undisturbed(round[2]?.stage ?? never(), round[0]?.stage ?? never()), [51.5, 51.5, 51.5, 56])
  const [direct, hop, ours] = latencyTogetherRows([round, round], 500)
  assert.deepEqual(
    [direct?.added, direct?.hopRatio],
    [
      { p50Ms: 0, p99Ms: 0 },
      { p50: null, p99: null },
    ],
  )
  assert.deepEqual(
    [hop?.hopRatio, ours?.added, ours?.hopRatio],
    [
      { p50: 1, p99: 1 },
      { p50Ms: 1.5, p99Ms: 5.5 },
      { p50: 1.5, p99: 2.2 },
    ],
  )
  assert.deepEqual([ours?.calls, ours?.counted, ours?.rounds], [10, 8, 2])
})

function never(): never {
  throw new Error('there is no such target')
}

test('a quarter of the slices counts, at least one', () => {
  const slices = [5, 1, 4, 2, 3].map((paceMs) => ({ paceMs }))
  assert.deepEqual(calmest(slices), [{ paceMs: 1 }, { paceMs: 2 }])
  assert.deepEqual(calmest(slices.slice(0, 1)), [{ paceMs: 5 }])
  assert.deepEqual(calmest([]), [])
})

test('close targets are measured in every round, the others in every fourth', async () => {
  const seen: string[] = []
  const isClose = (target: string) => target !== 'c'
  await inRounds({ rounds: 5, targets: ['a', 'b', 'c'], isClose }, async (target, round) => {
    seen.push(`${round}${target}`)
  })
  assert.deepEqual(seen.toSorted(), ['1a', '1b', '1c', '2a', '2b', '3a', '3b', '4a', '4b', '5a', '5b', '5c'])
  assert.equal(seen.map((text) => text[0]).join(''), '111223344555')
})

test('a run has recovered when half a second was good, whatever the machine does later', () => {
  const good = { due: 10, ok: 10, slowestOkMs: 2 }
  const slow = { due: 10, ok: 10, slowestOkMs: 50 }
  const shed = { due: 10, ok: 5, slowestOkMs: 2 }
  const fine = Array.from({ length: 5 }, () => good)
  // 200 ms quiet, 200 ms overload, then the rest.
  const begin = [good, good, shed, slow]
  assert.equal(recoveryMs([...begin, ...fine], 0.4, 0.2), 0)
  assert.equal(recoveryMs([...begin, slow, shed, ...fine, slow, shed], 0.4, 0.2), 200)
  assert.equal(recoveryMs([...begin, good, good, shed, ...fine], 0.4, 0.2), 300)
  assert.equal(recoveryMs([...begin, slow, good, good, good, good, shed], 0.4, 0.2), null)
  assert.equal(recoveryMs([...begin, good], 0.4, 0.2), null)
})

test('a peer is given as name=command@port', () => {
  const peer = parsePeer('Other=node "a b.js" --x=1@9000')
  assert.deepEqual([peer.name, peer.command, peer.port], ['Other', 'node "a b.js" --x=1', 9000])
  assert.throws(() => parsePeer('Other=node'), /name=command@port/)
})

test('tables line up', () => {
  const lines = [
    ['', 'one', 'two'],
    ['name', '1', '22222'],
  ]
  assert.equal(tableText(lines), '      one    two\nname    1  22222\n')
  assert.equal(markdownTable(lines), '|  | one | two |\n| --- | --: | --: |\n| name | 1 | 22222 |\n')
})

test('every target has its verdict, and a figure that misses it is told', () => {
  const holding = verdicts(exampleResult())
  assert.deepEqual(
    holding.filter(({ holds }) => holds !== true).map(({ what }) => what),
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

test('a run on a busy machine says so', () => {
  const result = exampleResult()
  assert.deepEqual(doubts(result), [])
  const [row] = result.latency
  if (row !== undefined) row.lateP99Ms = 12
  for (const saturated of result.saturation) saturated.coreShare = 0.5
  assert.equal(doubts(result).length, 3)
})

test('what was not measured is no verdict', () => {
  const result = { ...exampleResult(), latency: [], latencyTogether: [], start: null, overload: null }
  assert.equal(verdicts(result).filter(({ holds }) => holds === null).length, 5)
  assert.match(reportText(result), /not measured/)
})

test('the report names every target and the day', () => {
  const text = reportText(exampleResult())
  for (const part of ['2026-11-15', 'Switchyard, OpenAI family', 'Portkey', 'Event loop', 'Overload'])
    assert.ok(text.includes(part), part)
})

test('the chart is well-formed and follows the reader’s colours', () => {
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

test('figures go between the markers and nowhere else', () => {
  const page = 'before\n<!-- bench: written by npm run bench -- --write-docs -->\nold\n<!-- /bench -->\nafter'
  const filled = between(page, summary(exampleResult()))
  assert.match(filled, /^before\n<!-- bench/)
  assert.match(filled, /<!-- \/bench -->\nafter$/)
  assert.ok(filled.includes('| Switchyard, OpenAI family |') && !filled.includes('old'))
  assert.equal(between(filled, summary(exampleResult())), filled)
  assert.throws(() => between('no place', 'x'), /no place for figures/)
})

describe('how slow the core was', () => {
  const slowdowns = (...paces: number[]) => slowdownsIn(paces.map((paceMs) => ({ paceMs })))
  test('is the slower of before and after, against its full speed', () => {
    assert.deepEqual(slowdowns(2, 2, 8, 2, 2), [1, 1, 4, 4, 1])
  })
  test('is never less than one, and nothing where nothing was seen', () => {
    const fastOnce = [1, ...Array.from({ length: 19 }, () => 2)]
    assert.deepEqual(
      slowdowns(...fastOnce),
      fastOnce.map(() => 1),
    )
    assert.deepEqual(slowdowns(), [])
  })
})
