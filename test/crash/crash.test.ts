import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BilledCall } from '../../simulator/bill.ts'
import { assertKept } from './assert-kept.ts'
import { crashTest } from './crash.ts'
import { type Evidence, judge, type LoggedRow, type SentCall } from './judge.ts'

describe('a gateway killed under load, again and again', () => {
  test('its SQLite log misses no answered call and knows every upstream call', { timeout: 600_000 }, async () => {
    assertKept(await crashTest({ rounds: 10, seed: 7, concurrency: 12, engine: 'sqlite' }))
  })

  test('its PostgreSQL log misses no answered call and knows every upstream call', { timeout: 600_000 }, async () => {
    assertKept(await crashTest({ rounds: 3, seed: 8, concurrency: 12, engine: 'postgres' }))
  })
})

describe('the judge of a crash run', () => {
  const call: SentCall = {
    token: 'r1-d0',
    format: 'chat',
    model: 'gpt-r1-d0-sim-echo',
    key: 'free',
    ended: null,
    isPriced: true,
    isHedged: false,
    expectedStatuses: [200],
    mostUpstreamCalls: 1,
    answer: { id: 'chatcmpl_1', status: 200, ended: null, costUsd: '0.000120' },
    sawContent: false,
  }
  const row: LoggedRow = {
    id: 'chatcmpl_1',
    state: 'closed',
    status: 200,
    code: null,
    requestedModel: call.model,
    called: 1,
    lost: 0,
    keyId: 'key-1',
    ended: null,
    costPicodollars: 120_000_000n,
    holdPicodollars: 700_000_000n,
  }
  const open = { unconfirmedMost: 700_000_000n, unconfirmedCounted: 700_000_000n }
  const cut: LoggedRow = { ...row, ...open, status: 0, code: 'interrupted', called: 0, costPicodollars: null }
  const settled = { unconfirmedMost: null, unconfirmedCounted: null, costPicodollars: 700_000_000n }
  const upstream = { model: call.model, marker: call.token }
  const spent = { keyId: 'key-1', limit: 120_000_000n, spent: 120_000_000n, unconfirmed: 0n, held: 0n, billed: 0n }
  const sound: Evidence = { sent: [call], upstream: [upstream], rows: [row], budget: [spent], bill: [] }

  const billed: BilledCall = {
    ...{ at: 0, model: call.model, marker: call.token, freshTokens: 20, cachedTokens: 0, cacheWriteTokens: 0 },
    ...{ completionTokens: 20, audioTokens: 0, imageTokens: 0, thinkingTokens: 0 },
  }
  const stream: SentCall = {
    ...call,
    ended: 'finished',
    answer: { id: 'chatcmpl_1', status: 200, ended: 'finished', costUsd: '0.000120' },
    sawContent: true,
  }
  const streamRow: LoggedRow = { ...row, ended: 'finished' }
  const cutRow: LoggedRow = { ...cut, ...settled, ended: 'interrupted' }
  const streamed: Evidence = { ...sound, sent: [stream], rows: [streamRow] }
  const cutStream: Evidence = { ...sound, sent: [{ ...stream, answer: null }], rows: [cutRow], budget: [] }

  test('finds nothing in a sound run', () => {
    assert.deepEqual(judge(sound), {
      answered: 1,
      messages: 0,
      responses: 0,
      logged: 1,
      missing: 0,
      streamed: 0,
      cutStreams: 0,
      refused: 0,
      hedged: 0,
      cutHedges: 0,
      upstreamCalls: 1,
      covered: 0,
      unknown: 0,
      interrupted: 0,
      open: 0,
      problems: [],
    })
  })

  test('lets a bill be covered by what is held or unconfirmed', () => {
    const opened = { ...spent, spent: 0n, unconfirmed: 70_000_000n, held: 50_000_000n, billed: 120_000_000n }
    const { problems, covered } = judge({ ...sound, bill: [billed], budget: [opened, spent] })
    assert.deepEqual([problems, covered], [[], 1])
  })

  test('lets an unanswered call be interrupted, or unknown where the provider never saw it', () => {
    const unanswered = { ...call, answer: null }
    const evidence = { sent: [unanswered], budget: [], bill: [] }
    assert.deepEqual(judge({ ...evidence, upstream: [upstream], rows: [cut] }).problems, [])
    assert.deepEqual(judge({ ...evidence, upstream: [], rows: [] }).problems, [])
    const torn = { model: null, marker: null }
    assert.deepEqual(judge({ ...evidence, upstream: [torn], rows: [cut] }).problems, [])
  })

  test('lets a stream be cut off if it is paid for, or if nothing of it was seen', () => {
    assert.deepEqual(judge(streamed).problems, [])
    assert.deepEqual(judge(cutStream).problems, [])
    assert.deepEqual(judge({ ...cutStream, rows: [{ ...streamRow, ended: 'caller_left' }] }).problems, [])
    assert.deepEqual(judge({ ...cutStream, rows: [streamRow] }).problems, [])
    const unseen = [{ ...stream, answer: null, sawContent: false }]
    assert.deepEqual(judge({ ...cutStream, sent: unseen, rows: [cut] }).problems, [])
    const unpriced = { ...cutRow, costPicodollars: null, holdPicodollars: null }
    const sent = [{ ...stream, isPriced: false, answer: null }]
    assert.deepEqual(judge({ ...cutStream, sent, rows: [unpriced] }).problems, [])
  })

  test('lets a call that lost a hedge be ended before its provider saw it, or saw all of it', () => {
    const hedged = { ...row, called: 2, lost: 1 }
    const sent = [{ ...call, mostUpstreamCalls: 2 }]
    const torn = { model: null, marker: null }
    for (const seen of [[upstream], [upstream, upstream], [upstream, torn]]) {
      assert.deepEqual(judge({ ...sound, sent, upstream: seen, rows: [hedged] }).problems, [])
    }
    assert.equal(judge({ ...sound, sent, rows: [hedged] }).hedged, 1)
    const killed = { ...sound, sent: [{ ...call, isHedged: true, answer: null }], upstream: [upstream, upstream] }
    assert.equal(judge({ ...killed, rows: [cut] }).cutHedges, 1)
  })

  test('counts streams by what was seen of them', () => {
    const { streamed: whole, cutStreams } = judge({ ...cutStream, sent: [stream, ...cutStream.sent] })
    assert.deepEqual([whole, cutStreams], [1, 1])
  })

  const losses: [string, Evidence, RegExp][] = [
    ['an answered call without a row', { ...sound, upstream: [], rows: [] }, /not in the log/],
    ['an answered call logged as interrupted', { ...sound, rows: [cut] }, /its row says/],
    ['an answered call logged with another status', { ...sound, rows: [{ ...row, status: 502 }] }, /its row says/],
    ['an answer of the wrong status', { ...sound, sent: [{ ...call, expectedStatuses: [404] }] }, /was answered 200/],
    ['a row that is still open', { ...sound, rows: [{ ...row, state: 'open' }] }, /still open/],
    ['an upstream call without a row', { ...sound, sent: [{ ...call, answer: null }], rows: [] }, /does not know/],
    ['an upstream call that the row does not name', { ...sound, rows: [{ ...row, called: 0 }] }, /made 1 upstream/],
    [
      'the one that served, which nobody saw',
      { ...sound, upstream: [], rows: [{ ...row, lost: 0 }] },
      /made 0 upstream/,
    ],
    [
      'a hedged call that its row names once',
      { ...sound, upstream: [upstream, upstream], rows: [{ ...row, lost: 1 }] },
      /made 2 upstream calls, and its row names 1/,
    ],
    ['an upstream call made twice', { ...sound, upstream: [upstream, upstream] }, /made 2 upstream/],
    [
      'a cut-off upstream call that nothing explains',
      { ...sound, upstream: [{ ...upstream, model: null }] },
      /cut off/,
    ],
    ['a call logged twice', { ...sound, rows: [row, { ...row, id: 'chatcmpl_2' }] }, /in the log twice/],
    ['a row that no client caused', { ...sound, rows: [row, { ...row, requestedModel: 'x', id: '2' }] }, /no client/],
    ['an answer logged with another cost', { ...sound, rows: [{ ...row, costPicodollars: 1n }] }, /its row says/],
    ['a stream that ended and is not in the log', { ...streamed, upstream: [], rows: [] }, /not in the log/],
    ['a stream that ended and is logged as interrupted', { ...streamed, rows: [cutRow] }, /its row says/],
    [
      'a stream that ended and is logged as left',
      { ...streamed, rows: [{ ...row, ended: 'caller_left' }] },
      /row says/,
    ],
    [
      'a stream logged with another cost than it said',
      { ...streamed, rows: [{ ...streamRow, costPicodollars: 119_000_000n }] },
      /for 0.000120 USD, but its row says/,
    ],
    [
      'a stream that failed for no reason',
      {
        ...streamed,
        sent: [{ ...stream, answer: { id: row.id, status: 200, ended: 'failed_mid_stream', costUsd: null } }],
        rows: [{ ...row, ended: 'failed_mid_stream' }],
      },
      /was answered 200 failed_mid_stream, not 200 finished/,
    ],
    ['content that is not in the log', { ...cutStream, upstream: [], rows: [] }, /got content and is not in the log/],
    ['content that the row does not know of', { ...cutStream, rows: [cut] }, /got content, but its row says/],
    ['content that is free', { ...cutStream, rows: [{ ...streamRow, costPicodollars: 0n }] }, /is free/],
    [
      'an interrupted stream that costs less than was held',
      { ...cutStream, rows: [{ ...cutRow, costPicodollars: 120_000_000n }] },
      /should cost 700000000/,
    ],
    [
      'an interrupted call without an answer that costs something',
      { ...cutStream, sent: [{ ...call, answer: null }], rows: [{ ...cut, costPicodollars: 1n }] },
      /should cost null/,
    ],
    [
      'an interrupted call without an answer whose hold does not count',
      { ...cutStream, sent: [{ ...call, answer: null }], rows: [{ ...cut, unconfirmedCounted: null }] },
      /700000000 may be billed/,
    ],
    [
      'a budget that the rows exceed',
      { ...sound, budget: [{ ...spent, limit: 119_000_000n }] },
      /more than the budget/,
    ],
    [
      'a budget that counts less than was billed',
      { ...sound, budget: [{ ...spent, billed: 120_000_001n }] },
      /120000001 picodollars were billed: 120000000 were spent/,
    ],
    [
      'a row that knows of less than was billed',
      { ...sound, bill: [billed, billed] },
      /r1-d0 was billed 240000000, its row says/,
    ],
    ['a budget exceeded by what is held', { ...sound, budget: [{ ...spent, held: 1n }, spent] }, /and 1 held/],
    ['a budget that is not what the rows say', { ...sound, budget: [{ ...spent, spent: 0n }] }, /says 0 spent/],
    [
      "another call's text",
      {
        ...sound,
        sent: [call, { ...call, token: 'r1-d9', model: 'x' }],
        upstream: [{ ...upstream, marker: 'r1-d9' }],
        rows: [row, { ...row, requestedModel: 'x', id: '2' }],
      },
      /the text of r1-d9/,
    ],
  ]
  for (const [what, evidence, expected] of losses) {
    test(`reports ${what}`, () => assert.match(judge(evidence).problems.join('\n'), expected))
  }
})
