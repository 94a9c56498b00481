import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { LoopSettings } from '../../domain/loops/settings.ts'
import { NO_MARKS, toolMarks } from '../../domain/loops/tool-marks.ts'
import { MOST_OF_CALLER } from './loop-sessions.ts'
import { LoopWatch, type StopNews } from './loop-watch.ts'

const T0 = 1_800_000_000_000
const SETTINGS = LoopSettings.parse({
  same_tool_call: { times: 2, action: 'alert' },
  calls_a_minute: { calls: 3, action: 'stop' },
  spend_times_usual: { times: 2, usd: 0.01, action: 'slow' },
  stop_minutes: 1,
})
const call = { tools: NO_MARKS, agent: null, resumedAt: 0 }

/** A watch whose clock the test sets. */
function watchAt(most = 20_000) {
  const clock = { now: T0 }
  const news: StopNews[] = []
  const watch = new LoopWatch({ most, now: () => clock.now, onStop: (stop) => void news.push(stop) })
  const judge = (caller: string, session: string | null, more: object = {}) =>
    watch.judge({ caller, session }, { ...call, ...more }, SETTINGS).verdict.kind
  return { watch, clock, news, judge }
}

const step = fc.record({
  key: fc.constantFrom('a', 'b'),
  session: fc.constantFrom('s', 't', 'toString', '__proto__', null),
  passed: fc.integer({ min: 0, max: 8_000 }),
  tool: fc.option(fc.constantFrom('x', 'y')),
  usd: fc.constantFrom(null, 0, 0.02, 5),
})

/** What each call gets; only those of `key` are made, at the time of all of them. */
function verdicts(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[], key: string | null) {
  const { watch, clock, judge } = watchAt()
  return steps.flatMap(({ key: of, session, passed, tool, usd }) => {
    clock.now += passed
    if (key !== null && of !== key) return []
    const uses = tool === null ? undefined : [0, 1].map((place) => ({ id: `${of}${place}`, name: tool, args: '' }))
    const tools = toolMarks(uses, 'salt')
    const verdict = judge(of, session, { tools })
    const tokens = { prompt: 1, cached: 0 }
    watch.answered({ caller: of, session }, tools.first, { agent: null, kind: null, tokens, usd }, SETTINGS)
    return [{ of, verdict }]
  })
}

describe('sessions of keys', () => {
  test('what one key does changes nothing for another, whatever names both use', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const together = verdicts(steps, null)
        for (const key of ['a', 'b']) {
          assert.deepEqual(
            together.filter(({ of }) => of === key),
            verdicts(steps, key),
          )
        }
      }),
    )
  })

  test('a hundred thousand names of one key leave memory as it is, and another key its stop', () => {
    const { watch, judge } = watchAt()
    for (let n = 0; n < 4; n++) judge('calm', 's')
    for (let n = 0; n < 100_000; n++) judge('flood', `s${n}`)
    assert.equal(watch.size, MOST_OF_CALLER + 1)
    assert.equal(judge('calm', 's'), 'stop')
  })

  test('many keys with many names stay within the bound, and the one not seen for longest goes first', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(30), fc.nat(30)), { maxLength: 400 }), (calls) => {
        const { watch, judge } = watchAt(50)
        for (const [key, session] of calls) {
          judge(`k${key}`, `s${session}`)
          assert.ok(watch.size <= 50)
        }
      }),
    )
    const { judge } = watchAt(5)
    for (let n = 0; n < 4; n++) judge('old', 's')
    for (let n = 0; n < 4; n++) judge(`k${n}`, 's')
    assert.equal(judge('old', 's'), 'stop')
    for (let n = 0; n < 5; n++) judge(`k${n}`, 's')
    assert.equal(judge('old', 's'), 'pass')
  })

  test('a day later a session is forgotten', () => {
    const { watch, clock, judge } = watchAt()
    for (const session of ['a', 'b', 'c']) judge('k', session)
    clock.now += 86_400_001
    judge('k', 'd')
    assert.equal(watch.size, 1)
  })

  test('without a name it is known by its first tool call; without that, by nothing', () => {
    const { watch, judge } = watchAt()
    for (let n = 0; n < 10; n++) assert.equal(judge('k', null), 'pass')
    assert.equal(watch.size, 0)
    const conversation = (id: string) => ({ tools: toolMarks([{ id, name: 'x', args: '' }], 'salt') })
    for (let n = 0; n < 4; n++) judge('k', null, conversation('call_a'))
    assert.equal(judge('k', null, conversation('call_a')), 'stop')
    assert.equal(judge('k', null, conversation('call_b')), 'pass')
  })
})

describe('other threads', () => {
  test('learn once of a stop, and keep to it', () => {
    const [one, other] = [watchAt(), watchAt()]
    for (let n = 0; n < 6; n++) one.judge('k', 's')
    assert.equal(one.news.length, 1)
    for (const each of one.news) other.watch.adopt(each)
    assert.equal(other.judge('k', 's'), 'stop')
    assert.equal(other.judge('k', 't'), 'pass')
    assert.equal(other.judge('l', 's'), 'pass')
    assert.deepEqual(other.news, [])
  })

  test('do not take up a stop that a person has ended', () => {
    const [one, other] = [watchAt(), watchAt()]
    for (let n = 0; n < 4; n++) one.judge('k', 's')
    assert.equal(other.judge('k', 's', { resumedAt: T0 + 5 }), 'pass')
    for (const each of one.news) other.watch.adopt(each)
    assert.equal(other.judge('k', 's', { resumedAt: T0 + 5 }), 'pass')
  })
})
