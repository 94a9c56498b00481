import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BilledCall } from '../../simulator/bill.ts'
import type { LoggedRow } from '../crash/judge.ts'
import { documentedErrors } from './evidence.ts'
import { type Evidence, judge, type Sample } from './judge.ts'
import type { Ending, SentCall } from './load.ts'
import { planStrikes } from './schedule.ts'
import { isStreamed, planWorkload } from './workload.ts'

const ENDED: Ending = {
  kind: 'answered',
  node: 0,
  status: 200,
  code: null,
  id: 'chatcmpl_1',
  ended: null,
  costUsd: '0.000120',
  unchecked: false,
}
const CALL: SentCall = {
  token: 'tight-c000001',
  key: 'tight',
  alias: 'c000001',
  sentAt: 10_000,
  endedAt: 10_100,
  ending: ENDED,
}
const ROW: LoggedRow = {
  id: 'chatcmpl_1',
  state: 'closed',
  status: 200,
  code: null,
  requestedModel: 'c000001',
  called: 1,
  lost: 0,
  keyId: 'key-1',
  ended: null,
  costPicodollars: 120_000_000n,
  holdPicodollars: 700_000_000n,
}
const OPEN = { holdPicodollars: 0n, unconfirmedMost: null, unconfirmedCounted: null }
const INTERRUPTED: LoggedRow = { ...ROW, ...OPEN, status: 0, code: 'interrupted', called: 0, costPicodollars: null }
const CUT_OFF: Ending = { kind: 'cut', node: 1, sawContent: false }
const NAMELESS: LoggedRow = { ...INTERRUPTED, requestedModel: null }
const REFUSED: Ending = { ...ENDED, status: 402, code: 'budget_exceeded', costUsd: null }
const REFUSED_ROW: LoggedRow = { ...ROW, status: 402, code: 'budget_exceeded', called: 0, costPicodollars: null }
const UPSTREAM = { marker: CALL.token }
const CUT = { node: 1, sentAt: 10_000, cutAt: 10_050 }
const KILL = { node: 1, at: 10_020, goneAt: 10_030 }
const LIMITS = new Map([['tight', 120_000_000n]] as const)
const SOUND: Evidence = {
  sent: [CALL],
  upstream: [UPSTREAM],
  rows: [ROW],
  keys: new Map([['key-1', 'tight']]),
  cuts: [],
  kills: [],
  limits: LIMITS,
  samples: [{ keyId: 'key-1', source: 'log', spent: 120_000_000n, held: 0n, billed: null }],
  bill: [],
  documented: documentedErrors(),
}

const SAMPLE: Sample = { keyId: 'key-1', source: 'node-2', spent: 120_000_000n, held: 0n, billed: 120_000_000n }
const BILLED: BilledCall = {
  ...{ at: 0, model: 'gpt-chaos', marker: CALL.token, freshTokens: 20, cachedTokens: 0, cacheWriteTokens: 0 },
  ...{ completionTokens: 20, audioTokens: 0, imageTokens: 0, thinkingTokens: 0 },
}

const STREAMED: Ending = { ...ENDED, ended: 'finished' }
const CUT_STREAM: Ending = { kind: 'cut', node: 1, sawContent: true }
/** The counters did not book it in time. */
const UNBOOKED: Ending = { ...ENDED, code: 'limits_unavailable', ended: 'failed_mid_stream', costUsd: null }
const STREAM_ROW: LoggedRow = { ...ROW, ended: 'finished' }
const CUT_ROW: LoggedRow = {
  ...INTERRUPTED,
  ...{ unconfirmedMost: null, unconfirmedCounted: null },
  ended: 'interrupted',
  costPicodollars: 120_000_000n,
  holdPicodollars: 120_000_000n,
}

function ended(ending: Ending): SentCall[] {
  return [{ ...CALL, ending }]
}

describe('the judge of a chaos run', () => {
  const sound: [string, Evidence][] = [
    [
      'in a row of a call that only the counters knew',
      { ...SOUND, sent: ended(CUT_OFF), upstream: [], rows: [NAMELESS] },
    ],
    ['in a sound run', SOUND],
    ['in a bill that the budget covers', { ...SOUND, samples: [SAMPLE], bill: [BILLED] }],
    [
      'in a run in which a third found a node',
      { ...SOUND, sent: [CALL, ...Array.from({ length: 2 }, () => ended({ kind: 'no-node' })).flat()] },
    ],
    ['in a refusal', { ...SOUND, sent: ended(REFUSED), upstream: [], rows: [REFUSED_ROW] }],
    ['in a call that was cut off', { ...SOUND, sent: ended(CUT_OFF), rows: [INTERRUPTED] }],
    ['in a call cut off before its node knew of it', { ...SOUND, sent: ended(CUT_OFF), upstream: [], rows: [] }],
    [
      'in a call cut off on its way upstream',
      { ...SOUND, sent: ended(CUT_OFF), upstream: [{ marker: null }], rows: [INTERRUPTED] },
    ],
    ['in a stream that was read to its end', { ...SOUND, sent: ended(STREAMED), rows: [STREAM_ROW] }],
    ['in a stream that was cut off and is paid for', { ...SOUND, sent: ended(CUT_STREAM), rows: [CUT_ROW] }],
    ['in a stream that its gateway had completed', { ...SOUND, sent: ended(CUT_STREAM), rows: [STREAM_ROW] }],
    ['in a stream cut off before its first content', { ...SOUND, sent: ended(CUT_OFF), rows: [INTERRUPTED] }],
    ['in a stream whose cost was not booked in time', { ...SOUND, sent: ended(UNBOOKED), rows: [STREAM_ROW] }],
    ['in a connection that broke as its node was killed', { ...SOUND, cuts: [CUT], kills: [KILL] }],
    [
      'in a connection that was made while its node died',
      { ...SOUND, cuts: [{ ...CUT, sentAt: 10_025 }], kills: [KILL] },
    ],
  ]
  for (const [where, evidence] of sound) {
    test(`finds nothing ${where}`, () => assert.deepEqual(judge(evidence).problems, []))
  }

  const broken: [string, Evidence, RegExp][] = [
    [
      'a row without a name that no cut explains',
      { ...SOUND, rows: [ROW, { ...NAMELESS, id: 'chatcmpl_2' }] },
      /do not say what was called/,
    ],
    ['an answered call without a row', { ...SOUND, upstream: [], rows: [] }, /is not in the log/],
    ['an answered call logged as interrupted', { ...SOUND, rows: [INTERRUPTED] }, /its row says closed 0 interrupted/],
    [
      'an answered call logged with another cost',
      { ...SOUND, rows: [{ ...ROW, costPicodollars: 119_000_000n }] },
      /119000000/,
    ],
    [
      'an answered call logged without a cost',
      { ...SOUND, rows: [{ ...ROW, costPicodollars: null }] },
      /no picodollars/,
    ],
    [
      "an answered call with another call's row",
      { ...SOUND, rows: [{ ...ROW, requestedModel: 'c000002' }] },
      /no client made/,
    ],
    [
      'a stream read to its end and logged as interrupted',
      { ...SOUND, sent: ended(STREAMED), rows: [CUT_ROW] },
      /its row says closed 0 interrupted/,
    ],
    [
      'a stream read to its end and logged with another cost',
      { ...SOUND, sent: ended(STREAMED), rows: [{ ...STREAM_ROW, costPicodollars: 1n }] },
      /finished c000001 1 picodollars/,
    ],
    ['content that is not in the log', { ...SOUND, sent: ended(CUT_STREAM), upstream: [], rows: [] }, /got content/],
    [
      'content that the row does not know of',
      { ...SOUND, sent: ended(CUT_STREAM), rows: [INTERRUPTED] },
      /not paid for/,
    ],
    [
      'content that is free',
      { ...SOUND, sent: ended(UNBOOKED), rows: [{ ...STREAM_ROW, costPicodollars: 0n }] },
      /not paid for/,
    ],
    [
      'an interrupted stream that costs less than was held',
      { ...SOUND, sent: ended(CUT_STREAM), rows: [{ ...CUT_ROW, costPicodollars: 1n }] },
      /should cost 120000000/,
    ],
    [
      'a stream that failed for no reason',
      { ...SOUND, sent: ended({ ...UNBOOKED, code: 'upstream_error' }), rows: [STREAM_ROW] },
      /which nothing excuses/,
    ],
    [
      'a run in which nearly nobody found a node',
      { ...SOUND, sent: [CALL, ...Array.from({ length: 3 }, () => ended({ kind: 'no-node' })).flat()] },
      /only 1 of 4 calls found a node/,
    ],
    ['an upstream call without a row', { ...SOUND, sent: ended(CUT_OFF), rows: [] }, /does not know/],
    [
      'an upstream call made twice',
      { ...SOUND, upstream: [UPSTREAM, UPSTREAM] },
      /made 2 upstream calls, and its row names 1/,
    ],
    [
      'a torn upstream call that nothing explains',
      { ...SOUND, upstream: [UPSTREAM, { marker: null }] },
      /explain only 0/,
    ],
    ['a call logged twice', { ...SOUND, rows: [ROW, { ...ROW, id: 'chatcmpl_2' }] }, /is in the log twice/],
    ['an id logged twice', { ...SOUND, rows: [ROW, ROW] }, /ids are in the log twice/],
    ['a row that is still open', { ...SOUND, rows: [{ ...ROW, state: 'open' }] }, /still open/],
    [
      'an answer with a code that no page explains',
      { ...SOUND, sent: ended({ ...REFUSED, code: 'no_idea' }) },
      /not documented/,
    ],
    [
      'an answer with the wrong status for its code',
      { ...SOUND, sent: ended({ ...REFUSED, status: 500 }) },
      /not documented/,
    ],
    [
      'a fault',
      { ...SOUND, sent: ended({ ...REFUSED, status: 500, code: 'internal_error' }) },
      /which nothing excuses/,
    ],
    [
      'a refusal that is not logged',
      { ...SOUND, sent: ended(REFUSED), upstream: [], rows: [] },
      /402 .* not in the log/,
    ],
    [
      'a refusal that is logged as served',
      { ...SOUND, sent: ended(REFUSED) },
      /answered 402 .* its row says closed 200/,
    ],
    [
      'a call without any answer',
      { ...SOUND, sent: ended({ kind: 'unanswered', error: 'late' }) },
      /got no answer: late/,
    ],
    [
      'a connection that broke by itself',
      { ...SOUND, cuts: [CUT], kills: [{ ...KILL, node: 0 }] },
      /nobody had killed/,
    ],
    [
      'one that broke before a kill',
      { ...SOUND, cuts: [{ ...CUT, cutAt: 10_019 }], kills: [KILL] },
      /nobody had killed/,
    ],
    [
      'one that was made after it',
      { ...SOUND, cuts: [{ ...CUT, sentAt: 10_031 }], kills: [KILL] },
      /nobody had killed/,
    ],
    ['a budget that the log exceeds', { ...SOUND, limits: new Map([['tight', 119_999_999n]]) }, /adds up to 120000000/],
    ['a budget that a sample exceeds', { ...SOUND, samples: [{ ...SAMPLE, held: 1n }] }, /node-2 said/],
    [
      'a sample that counts less than was billed',
      { ...SOUND, samples: [{ ...SAMPLE, billed: 120_000_001n }] },
      /1 samples of tight count less than the provider: node-2 said 120000000 spent and 0 held where 120000001/,
    ],
    ['a row that knows of less than was billed', { ...SOUND, bill: [BILLED, BILLED] }, /was billed 240000000, its row/],
  ]
  for (const [what, evidence, expected] of broken) {
    test(`reports ${what}`, () => assert.match(judge(evidence).problems.join('\n'), expected))
  }

  test('counts what it finds', () => {
    const { problems: _, ...counts } = judge({ ...SOUND, upstream: [{ marker: 'free-c000009' }], rows: [INTERRUPTED] })
    assert.deepEqual(counts, {
      sent: 1,
      answered: 1,
      served: 1,
      lost: 1,
      streamed: 0,
      cutStreams: 0,
      upstreamCalls: 1,
      unknown: 1,
      cut: 0,
      noNode: 0,
      interrupted: 1,
      open: 0,
      answers: { '200 ok': 1 },
      budgets: [{ key: 'tight', limit: 120_000_000n, spent: 0n, most: 120_000_000n, samples: 1, covered: 0 }],
    })
  })
})

describe('the schedule of a chaos run', () => {
  const durationMs = 300_000

  test('is the same for the same seed and another for another', () => {
    assert.deepEqual(planStrikes({ seed: 3, durationMs }), planStrikes({ seed: 3, durationMs }))
    assert.notDeepEqual(planStrikes({ seed: 3, durationMs }), planStrikes({ seed: 4, durationMs }))
  })

  test('strikes every part, some at once, and never the last node', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const strikes = planStrikes({ seed, durationMs })
      assert.equal(new Set(strikes.map(({ part }) => part)).size, 5)
      assert.ok(strikes.some((strike, place) => strikes[place + 1]?.atMs === strike.atMs))
      assert.ok(strikes.some(({ wiped }) => wiped) && strikes.some(({ part, wiped }) => part === 'valkey' && !wiped))
      for (const { atMs } of strikes) {
        const down = strikes.filter((each) => each.atMs <= atMs && atMs < each.atMs + each.downMs)
        assert.ok(down.filter(({ part }) => part.startsWith('node-')).length < 3)
      }
      assert.ok(strikes.every(({ atMs, downMs }) => atMs + downMs < durationMs))
    }
  })
})

test('the workload has an alias for every call that its clients can make', () => {
  const { aliases, config } = planWorkload({ durationMs: 60_000, pauseMs: 400 })
  assert.equal(new Set(aliases).size, aliases.length)
  assert.ok(aliases.filter(isStreamed).length >= aliases.length / 2)
  assert.ok(aliases.length >= 450 && aliases.every((alias) => config.includes(`${alias}:`)))
})
