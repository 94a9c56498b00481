import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { crashTest } from './crash.ts'
import { type Evidence, judge, type LoggedRow, type SentCall } from './judge.ts'

describe('a gateway killed under load, again and again', () => {
  test('its SQLite log misses no answered call and knows every upstream call', { timeout: 600_000 }, async () => {
    const report = await crashTest({ rounds: 10, seed: 7, concurrency: 12, engine: 'sqlite' })
    assert.deepEqual(report.problems, [])
    assert.deepEqual([report.missing, report.unknown, report.open], [0, 0, 0])
    assertMeaningful(report)
  })

  test('its PostgreSQL log misses no answered call and knows every upstream call', { timeout: 600_000 }, async () => {
    const report = await crashTest({ rounds: 3, seed: 8, concurrency: 12, engine: 'postgres' })
    assert.deepEqual(report.problems, [])
    assert.deepEqual([report.missing, report.unknown, report.open], [0, 0, 0])
    assertMeaningful(report)
  })

  /** A run in which nothing happened proves nothing. */
  function assertMeaningful(report: { answered: number; interrupted: number; upstreamCalls: number }): void {
    assert.ok(report.answered > 0 && report.interrupted > 0 && report.upstreamCalls > 0, JSON.stringify(report))
  }
})

describe('the judge of a crash run', () => {
  const call: SentCall = {
    token: 'r1-d0',
    model: 'gpt-r1-d0-sim-echo',
    expectedStatus: 200,
    mostUpstreamCalls: 1,
    answer: { id: 'chatcmpl_1', status: 200 },
  }
  const row: LoggedRow = {
    id: 'chatcmpl_1',
    state: 'closed',
    status: 200,
    code: null,
    requestedModel: call.model,
    called: 1,
  }
  const cut: LoggedRow = { ...row, status: 0, code: 'interrupted', called: 0 }
  const upstream = { model: call.model, marker: call.token }
  const sound: Evidence = { sent: [call], upstream: [upstream], rows: [row] }

  test('finds nothing in a sound run', () => {
    assert.deepEqual(judge(sound), {
      answered: 1,
      logged: 1,
      missing: 0,
      upstreamCalls: 1,
      unknown: 0,
      interrupted: 0,
      open: 0,
      problems: [],
    })
  })

  test('lets an unanswered call be interrupted, or unknown where the provider never saw it', () => {
    const unanswered = { ...call, answer: null }
    assert.deepEqual(judge({ sent: [unanswered], upstream: [upstream], rows: [cut] }).problems, [])
    assert.deepEqual(judge({ sent: [unanswered], upstream: [], rows: [] }).problems, [])
    const torn = { model: null, marker: null }
    assert.deepEqual(judge({ sent: [unanswered], upstream: [torn], rows: [cut] }).problems, [])
  })

  const losses: [string, Evidence, RegExp][] = [
    ['an answered call without a row', { ...sound, upstream: [], rows: [] }, /not in the log/],
    ['an answered call logged as interrupted', { ...sound, rows: [cut] }, /its row says/],
    ['an answered call logged with another status', { ...sound, rows: [{ ...row, status: 502 }] }, /its row says/],
    ['an answer of the wrong status', { ...sound, sent: [{ ...call, expectedStatus: 404 }] }, /was answered 200/],
    ['a row that is still open', { ...sound, rows: [{ ...row, state: 'open' }] }, /still open/],
    ['an upstream call without a row', { ...sound, sent: [{ ...call, answer: null }], rows: [] }, /does not know/],
    ['an upstream call that the row does not name', { ...sound, rows: [{ ...row, called: 0 }] }, /made 1 upstream/],
    ['an upstream call made twice', { ...sound, upstream: [upstream, upstream] }, /made 2 upstream/],
    [
      'a cut-off upstream call that nothing explains',
      { ...sound, upstream: [{ ...upstream, model: null }] },
      /cut off/,
    ],
    ['a call logged twice', { ...sound, rows: [row, { ...row, id: 'chatcmpl_2' }] }, /in the log twice/],
    ['a row that no client caused', { ...sound, rows: [row, { ...row, requestedModel: 'x', id: '2' }] }, /no client/],
    ["another call's text", { ...sound, upstream: [{ ...upstream, marker: 'r1-d9' }] }, /the text of r1-d9/],
  ]
  for (const [what, evidence, expected] of losses) {
    test(`reports ${what}`, () => assert.match(judge(evidence).problems.join('\n'), expected))
  }
})
