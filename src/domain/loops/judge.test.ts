import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Answered, afterAnswer } from './growth.ts'
import { type Incoming, judgeCall } from './judge.ts'
import { NOTHING_YET, sumOf, withAmount } from './minute.ts'
import { freshState, type LoopState } from './session-state.ts'
import { LoopSettings } from './settings.ts'
import { NO_MARKS, type ToolMarks, toolMarks } from './tool-marks.ts'
import { usualUsd } from './usual.ts'

const T0 = 1_800_000_000_000
const settings = (given: object) => LoopSettings.parse(given)

/** A conversation of these tools, each call with an id of its own. */
const did = (...tools: string[]): ToolMarks =>
  toolMarks(
    tools.map((name, place) => ({ id: `call_${place}`, name, args: '{}' })),
    'salt',
  )

/** What the calls of one session get, one after the other: `pass`, `slow 7000` or `stop calls_a_minute 3/2`. */
function walk(set: object, calls: readonly Partial<Incoming>[], begin: LoopState | null = null): string[] {
  const chosen = settings(set)
  let state = begin
  return calls.map((call) => {
    const incoming = { now: T0, tools: NO_MARKS, agent: null, resumedAt: 0, usualUsd: null, ...call }
    const judged = judgeCall(state, incoming, chosen)
    state = judged.state
    const { verdict, signals } = judged
    if (verdict.kind === 'slow') return `slow ${verdict.waitMs}`
    if (verdict.kind === 'stop')
      return `stop ${verdict.because.signal} ${verdict.because.used}/${verdict.because.limit}`
    return ['pass', ...signals].join(' ')
  })
}

describe('the same tool call', () => {
  const set = { same_tool_call: { times: 3, action: 'stop' } }
  for (const [name, tools, expected] of [
    ['none', [], 'pass'],
    ['twice', ['a', 'a'], 'pass'],
    ['three times', ['a', 'a', 'a'], 'stop same_tool_call 3/3'],
    ['with others between', ['a', 'b', 'a', 'b', 'a'], 'stop same_tool_call 3/3'],
    ['given up', ['a', 'a', 'a', 'b'], 'pass'],
    ['long ago', ['a', 'a', ...Array.from({ length: 63 }, (_, n) => `t${n}`), 'a'], 'pass'],
  ] as const) {
    test(name, () => assert.deepEqual(walk(set, [{ tools: did(...tools) }]), [expected]))
  }

  test('other arguments are another call, and the parts of a call do not run together', () => {
    const [one, two] = toolMarks(
      [
        { id: '1', name: 'ab', args: 'c' },
        { id: '2', name: 'a', args: 'bc' },
      ],
      's',
    ).recent
    assert.notEqual(one?.call, two?.call)
    const objects = toolMarks([{ id: '1', name: 'a', args: { path: 'x' } }], 's').recent
    assert.deepEqual(objects[0]?.call, toolMarks([{ id: '2', name: 'a', args: '{"path":"x"}' }], 's').recent[0]?.call)
  })

  test('hashes mean nothing with another salt, and hold nothing of the call', () => {
    const use = { id: 'call_1', name: 'read_file', args: '{"path":"secret"}' }
    const marks = toolMarks([use], 'one')
    assert.notDeepEqual(marks, toolMarks([use], 'other'))
    assert.doesNotMatch(JSON.stringify(marks), /call_1|read_file|path|secret/)
  })
})

describe('a stop', () => {
  const set = { same_tool_call: { times: 3, action: 'stop' }, stop_minutes: 10 }
  const loop = { tools: did('a', 'a', 'a') }
  const later = { tools: did('a', 'a', 'a', 'b') }

  test('holds whatever comes then, for its time', () => {
    const calls = [loop, later, { ...later, now: T0 + 599_999 }, { ...later, now: T0 + 600_000 }]
    const stop = 'stop same_tool_call 3/3'
    assert.deepEqual(walk(set, calls), [stop, stop, stop, 'pass'])
  })

  test('ends when a person resumes it, and what was repeated before is forgiven', () => {
    const resumed = (tools: ToolMarks) => ({ tools, resumedAt: T0 + 1 })
    const on = (count: number) => did(...Array.from({ length: 3 + count }, () => 'a'))
    assert.deepEqual(walk(set, [loop, ...[0, 1, 2, 3].map((count) => resumed(on(count)))]), [
      'stop same_tool_call 3/3',
      ...['pass', 'pass', 'pass'],
      'stop same_tool_call 3/3',
    ])
    assert.deepEqual(walk(set, [resumed(on(0))]), ['pass'], 'a thread that did not know the session')
    assert.deepEqual(walk(set, [resumed(loop.tools), loop]), ['pass', 'pass'], 'the resumption is forgotten')
  })

  test('ends by time with the same forgiveness', () => {
    const after = { ...loop, now: T0 + 600_000 }
    assert.deepEqual(walk(set, [loop, after, after]), ['stop same_tool_call 3/3', 'pass', 'pass'])
  })

  test('ends when the setting no longer says so', () => {
    const stopped = judgeCall(
      null,
      { now: T0, agent: null, resumedAt: 0, usualUsd: null, ...loop },
      settings(set),
    ).state
    const only = { same_tool_call: { times: 3, action: 'alert' } }
    assert.deepEqual(walk(only, [later], stopped), ['pass'])
  })

  test('is said before anything milder', () => {
    const both = { ...set, calls_a_minute: { calls: 1, action: 'slow' } }
    assert.deepEqual(walk(both, [{}, {}, loop]), ['pass', 'pass calls_a_minute', 'stop same_tool_call 3/3'])
  })
})

describe('calls a minute', () => {
  const at = (seconds: number) => ({ now: T0 + seconds * 1000 })

  test('more than the limit are a loop, and refused ones do not count', () => {
    const set = { calls_a_minute: { calls: 2, action: 'stop' }, stop_minutes: 1 }
    const expected = ['pass', 'pass', 'stop calls_a_minute 3/2', 'stop calls_a_minute 3/2', 'pass']
    assert.deepEqual(walk(set, [at(0), at(1), at(2), at(30), at(62)]), expected)
  })

  test('slow: one call per interval passes, until there are fewer again', () => {
    const set = { calls_a_minute: { calls: 2, action: 'slow' }, slow_seconds: 10 }
    assert.deepEqual(walk(set, [at(0), at(1), at(2), at(5), at(12), at(13), at(75), at(76)]), [
      'pass',
      'pass',
      'pass calls_a_minute',
      'slow 7000',
      'pass calls_a_minute',
      'slow 9000',
      'pass',
      'pass',
    ])
  })

  test('alert: every call passes and says so', () => {
    const set = { calls_a_minute: { calls: 1 } }
    assert.deepEqual(walk(set, [at(0), at(0), at(0)]), ['pass', 'pass calls_a_minute', 'pass calls_a_minute'])
  })

  test('sums of a minute forget by steps of five seconds', () => {
    let minute = NOTHING_YET
    for (const seconds of [0, 4, 30]) minute = withAmount(minute, T0 + seconds * 1000, 1)
    const sums = [30, 59, 60, 61, 89, 90, 3_600].map((seconds) => sumOf(minute, T0 + seconds * 1000))
    assert.deepEqual(sums, [3, 3, 1, 1, 1, 0, 0])
    assert.equal(sumOf(withAmount(minute, T0 + 20_000, 1), T0 + 30_000), 4, 'a clock that is a little behind')
  })
})

describe('growing context', () => {
  const set = { context_growth: { calls: 3, tokens: 100, action: 'stop' } }
  const answer = (prompt: number, cached = 0, more: Partial<Answered> = {}): Answered => ({
    ...{ now: T0, agent: null, kind: 'main', usd: null, tokens: { prompt, cached } },
    ...more,
  })
  const after = (...answers: Answered[]) =>
    answers.reduce((state, each) => afterAnswer(state, each, 100), freshState(0))
  const STOP = 'stop context_growth 3/3'
  for (const [name, answers, expected] of [
    ['three that grow', [answer(100), answer(200), answer(300)], STOP],
    ['two', [answer(100), answer(200)], 'pass'],
    ['a tenth from the cache', [answer(100), answer(200), answer(300, 30)], 'pass'],
    ['almost nothing from the cache', [answer(100), answer(200), answer(300, 29)], STOP],
    ['shorter after a compaction', [answer(100), answer(200), answer(150)], 'pass'],
    ['the same again', [answer(100), answer(200), answer(200)], 'pass'],
    ['small prompts', [answer(10), answer(20), answer(30), answer(40)], 'pass'],
    ['other agents between', [answer(100), answer(90, 0, { agent: 'look' }), answer(200), answer(300)], STOP],
    ['a summary between', [answer(100), answer(9, 0, { kind: 'title' }), answer(200), answer(300)], STOP],
    ['of another agent', [1, 2, 3].map((n) => answer(n * 100, 0, { agent: 'look' })), 'pass'],
    ['not counted by the provider', [100, 200, 300].map((n) => answer(n, 0, { tokens: null })), 'pass'],
  ] as const) {
    test(name, () => assert.deepEqual(walk(set, [{}], after(...answers)), [expected]))
  }

  test('agents that are followed are bounded', () => {
    const answers = Array.from({ length: 500 }, (_, n) => answer(100, 0, { agent: `a${n}` }))
    assert.equal(after(...answers).growth.size, 64)
  })
})

describe('spending', () => {
  const set = { spend_times_usual: { times: 3, usd: 0.5, action: 'stop' } }
  const spent = (usd: number) =>
    afterAnswer(freshState(0), { now: T0, agent: null, kind: null, tokens: null, usd }, null)
  for (const [name, usd, usual, expected] of [
    ['three times the usual', 0.61, 0.2, 'stop spend_times_usual 0.61/0.6'],
    ['less than that', 0.6, 0.2, 'pass'],
    ['many times a trifle', 0.4, 0.001, 'pass'],
    ['no usual', 90, null, 'pass'],
  ] as const) {
    test(name, () => assert.deepEqual(walk(set, [{ usualUsd: usual }], spent(usd)), [expected]))
  }

  test('usual is the median of the sessions, by minutes in which they spent', () => {
    const total = (usd: number, minutes = 1) => ({ total: { usd, minutes, lastMinute: 0 } })
    const five = [total(1), total(2), total(30, 10), total(4), total(500)]
    assert.equal(usualUsd(five), 3)
    assert.equal(usualUsd([...five, total(0, 0)]), 3, 'one that has spent nothing')
    assert.equal(usualUsd([...five, total(5)]), 3.5)
    assert.equal(usualUsd(five.slice(1)), null)
    const minutes = [0, 1, 70, 71].reduce(
      (state, seconds) =>
        afterAnswer(state, { now: T0 + seconds * 1000, agent: null, kind: null, tokens: null, usd: 1 }, null),
      freshState(0),
    ).total
    assert.deepEqual([minutes.usd, minutes.minutes], [4, 2])
  })
})
