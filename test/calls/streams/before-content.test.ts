import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { ScriptedAnswer, StreamStep } from '../../../simulator/simulator.ts'
import { until } from '../../harness.ts'
import { attemptsOf, type Caller, cutOf, FAMILIES, saidIn, startWorld, streamConfig, type World } from './world.ts'

const patient: World = await startWorld()
/** The first entries of its chains have little time, but enough for a head on a busy machine. */
const impatient: World = await startWorld({ config: streamConfig(', timeout_ms: 1500') })
/** Its heads do not wait for content. */
const hasty: World = await startWorld({
  environment: { STREAM_HOLD_HEADERS_SECONDS: '0.01', STREAM_KEEP_ALIVE_SECONDS: '0.01' },
})
after(async () => {
  await patient.stop()
  await impatient.stop()
  await hasty.stop()
})

const steps = (...some: StreamStep[]): ScriptedAnswer => ({ stream: { steps: some } })
const html = { headers: { 'content-type': 'text/html' }, body: '<html>SPOILED</html>' }

/** An event without content in both formats. */
const EMPTY = { type: 'ping', id: 'x', choices: [{ index: 0, delta: { content: '' }, finish_reason: null }] }

/** A failure before the first content: what the provider does, the code of the attempt, and its phase. */
const FAILURES: [string, ScriptedAnswer, string, string][] = [
  ['an error event', steps({ play: 'start' }, { error: 529 }), 'provider_overloaded', 'before_content'],
  ['an error event first', steps({ error: 500 }), 'upstream_error', 'before_content'],
  ['an end', steps({ play: 'start' }, 'end'), 'upstream_error', 'before_content'],
  ['an empty body', steps('end'), 'upstream_error', 'before_content'],
  ['a cut', steps({ play: 'start' }, 'cut'), 'upstream_error', 'before_content'],
  ['a reset', steps({ play: 'start' }, 'reset'), 'upstream_error', 'before_content'],
  ['pings only, then an end', steps({ ping: 5 }, 'end'), 'upstream_error', 'before_content'],
  ['pings only, for ever', { stream: { gap: 20, steps: [{ ping: 1e6 }] } }, 'upstream_timeout', 'before_content'],
  ['empty deltas, for ever', steps({ send: { data: EMPTY }, times: 20_000 }), 'upstream_error', 'before_content'],
  ['silence', steps({ play: 'start' }, 'stall'), 'upstream_timeout', 'before_content'],
  [
    'JSON of an error with status 200',
    { body: { type: 'error', error: { type: 'overloaded_error', message: 'SPOILED' } } },
    'provider_overloaded',
    'before_content',
  ],
  ['HTML', html, 'upstream_error', 'before_content'],
  [
    'another content type',
    { headers: { 'content-type': 'text/plain' }, body: 'data: {"choices":[]}\n\n' },
    'upstream_error',
    'before_content',
  ],
  ['status 429', { status: 429 }, 'rate_limited', 'headers'],
  ['status 401', { status: 401 }, 'provider_auth_error', 'headers'],
  ['status 404', { status: 404 }, 'model_not_found', 'headers'],
  ['status 500', { status: 500 }, 'upstream_error', 'headers'],
  ['status 503', { status: 503 }, 'provider_overloaded', 'headers'],
  ['a reset without an answer', { behaviour: 'reset' }, 'upstream_error', 'headers'],
  ['no answer', { behaviour: 'hang' }, 'upstream_timeout', 'headers'],
]

// Peer bug 19, bifrost#5395: an error in the second event had no fallback.
for (const family of FAMILIES)
  describe(`before the first content of ${family}`, () => {
    for (const [what, answer, code, phase] of FAILURES) {
      const world = code === 'upstream_timeout' ? impatient : patient
      test(`${what}: the next entry serves, and nothing of the first is seen`, async () => {
        const { route, first, second } = world.pair(family)
        world.simulator.script(first, [answer])
        world.simulator.script(second, [{ tweak: { text: 'from the second entry' } }])
        const caller = world.ask({ model: route })
        assert.equal(await caller.ended, true)
        assert.equal(caller.status(), 200, caller.text())
        assert.equal(caller.said(), 'from the second entry')
        assert.equal(caller.isDone(), true)
        assert.doesNotMatch(caller.text(), /SPOILED|"error"/)
        assert.deepEqual(
          caller
            .chunks()
            .map(({ choices }) => choices[0].delta.role ?? null)
            .filter(Boolean),
          ['assistant'],
        )
        assert.deepEqual([caller.header('x-gateway-model'), caller.header('x-gateway-fallback-used')], [second, 'true'])
        const row = await world.row(caller)
        assert.deepEqual([row.status, row.code, row['ended'], row['fallback']], [200, null, 'finished', 1])
        const attempts = attemptsOf(row)
        assert.deepEqual(
          attempts.map((attempt) => [attempt.model, attempt.code, attempt.phase ?? null]),
          [
            [first, code, phase],
            [second, null, null],
          ],
        )
        assert.match(
          caller.text(),
          new RegExp(`"x_gateway":\\{"provider":"[a-z]+","model":"${second}","fallback_used":true`),
        )
      })
    }
  })

// Peer bug 20, litellm#38610, #26067: only the first entry was held back, so the error of the second had no status.
describe('both entries fail before content', () => {
  for (const [what, answer, code] of FAILURES) {
    const world = code === 'upstream_timeout' ? impatient : patient
    test(`${what}: an error with its status`, async () => {
      const { route, first, second } = world.pair('anthropic')
      world.simulator.script(first, [answer])
      world.simulator.script(second, [code === 'upstream_timeout' ? { status: 500 } : answer])
      const caller = world.ask({ model: route })
      await caller.ended
      assert.match(String(caller.header('content-type')), /^application\/json/)
      const { error } = JSON.parse(caller.text())
      assert.ok(caller.status() !== 200, String(caller.status()))
      assert.equal(error.details.attempts.length, 2)
      assert.equal(error.details.attempts[0].code, code)
      const row = await world.row(caller)
      assert.deepEqual(
        [row.status, row.code, row['ended'], row['cost_picodollars']],
        [caller.status(), error.code, null, null],
      )
      assert.equal(row['streamed'], 1)
    })
  }

  test("the caller's mistake is told at once, as without a stream", async () => {
    const { route, first } = patient.pair('openai')
    patient.simulator.script(first, [{ status: 400 }])
    const caller = patient.ask({ model: route })
    await caller.ended
    assert.equal(caller.status(), 400)
    assert.equal(patient.upstream().filter(({ model }) => model === first).length, 1)
  })
})

describe('a whole answer to a request for a stream', () => {
  for (const family of FAMILIES)
    test(`${family}: is sent as chunks, with its usage`, async () => {
      const { route, first } = patient.pair(family)
      patient.simulator.script(first, [{ stream: false, tweak: { text: 'all at once' } }])
      const caller = patient.ask({ model: route, stream_options: { include_usage: true } })
      assert.equal(await caller.ended, true)
      assert.equal(caller.said(), 'all at once')
      assert.equal(caller.isDone(), true)
      const { usage, x_gateway: gateway } = caller.chunks().at(-1)
      const row = await patient.row(caller)
      assert.deepEqual([row['ended'], row['usage_source'], row.status], ['finished', 'provider', 200])
      assert.equal(row['completion_tokens'], usage.completion_tokens)
      assert.equal(gateway.usage_source, 'provider')
      assert.ok(Number(row['cost_picodollars']) > 0)
    })

  test('without a count of its tokens it is estimated, never free', async () => {
    const { route, first } = patient.pair('openai')
    const choices = [{ index: 0, message: { role: 'assistant', content: 'x'.repeat(40) }, finish_reason: 'stop' }]
    patient.simulator.script(first, [{ body: { id: 'x', object: 'chat.completion', created: 1, choices } }])
    const caller = patient.ask({ model: route })
    assert.equal(await caller.ended, true)
    const row = await patient.row(caller)
    assert.deepEqual([row['usage_source'], row['completion_tokens']], ['estimated', 10])
    assert.ok(Number(row['cost_picodollars']) > 0)
  })
})

describe('a head that does not wait', () => {
  const comments = (caller: Caller) => caller.text().split(': keep-alive\n').length - 1

  for (const family of FAMILIES)
    test(`${family}: head and comments go out, and the second entry may still serve`, async () => {
      const { route, first, second } = hasty.pair(family)
      hasty.simulator.script(first, [steps({ play: 'start' }, 'stall', { error: 500 })])
      hasty.simulator.script(second, [{ tweak: { text: 'late' } }])
      const caller = hasty.ask({ model: route })
      await caller.answered
      assert.equal(caller.status(), 200)
      await until(() => comments(caller) >= 3, 'comments keep the connection open')
      // Peer bug 25, mnfst/llm-gateway#2053, llmgateway#2334: a blank line or data among them breaks clients.
      assert.match(caller.text(), /^(?:: keep-alive\n)+$/)
      assert.deepEqual(caller.chunks(), [])
      assert.equal(caller.header('x-gateway-model'), first)
      assert.equal(caller.header('x-gateway-latency-ms'), undefined)
      hasty.simulator.resume()
      assert.equal(await caller.ended, true)
      assert.equal(caller.said(), 'late')
      assert.equal(caller.chunks().at(-1).x_gateway.model, second)
      assert.equal(caller.isDone(), true)
    })

  test('when all entries fail, the error is a frame', async () => {
    const { route, first, second } = hasty.pair('openai')
    hasty.simulator.script(first, [steps({ play: 'start' }, 'stall', { error: 500 })])
    hasty.simulator.script(second, [{ status: 529 }])
    const caller = hasty.ask({ model: route })
    await caller.answered
    hasty.simulator.resume()
    assert.equal(await caller.ended, true)
    const { code, details } = cutOf(caller)
    assert.equal(code, 'provider_overloaded')
    assert.equal(details.attempts.length, 2)
    const row = await hasty.row(caller)
    assert.deepEqual(
      [row.status, row.code, row['ended'], row['cost_picodollars']],
      [200, 'provider_overloaded', null, null],
    )
  })

  test('comments fill a silence between two pieces of content', async () => {
    const { route, first } = hasty.pair('openai')
    hasty.simulator.script(first, [steps({ play: 'first' }, 'stall', { play: 'done' })])
    const caller = hasty.ask({ model: route })
    await until(() => caller.said() !== '', 'content is out')
    const before = comments(caller)
    await until(() => comments(caller) >= before + 3, 'comments keep the connection open')
    hasty.simulator.resume()
    assert.equal(await caller.ended, true)
    assert.equal(caller.isDone(), true)
    assert.notEqual(saidIn(caller.chunks()), '')
  })
})
