import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { hello, until } from '../../harness.ts'
import { attemptsOf, callerOf, cutOf, saidIn } from '../streams/world.ts'
import { bedrockConfig, CLAUDE, eventsIn, NOVA, startBedrock } from './world.ts'

/** Each test its own models, so that no circuit opens for the next one. */
const MODELS = Array.from({ length: 12 }, (_, at) => [`amazon.nova-${at}`, `anthropic.claude-${at}`] as const)
const routes = MODELS.map(
  (
    [nova, claude],
    at,
  ) => `      chain-${at}: { chain: [{ provider: bedrock, model: ${nova}, retries: 0 }, { provider: anthropic, model: claude-opus-5, retries: 0 }, { provider: openai, model: gpt-5, retries: 0 }] }
      nova-${at}: { chain: [{ provider: bedrock, model: ${nova}, retries: 0 }] }
      claude-${at}: { chain: [{ provider: bedrock, model: ${claude}, retries: 0 }] }`,
).join('\n')

let bedrock: Awaited<ReturnType<typeof startBedrock>>
let next = 0
before(async () => {
  bedrock = await startBedrock({ config: bedrockConfig({ routes, models: MODELS.flat() }) })
})
after(() => bedrock.stop())
beforeEach(() => bedrock.simulator.reset())

const pair = () => {
  const at = next++
  const [nova, claude] = MODELS[at] ?? assert.fail('more models are needed')
  return { nova, claude, chain: `chain-${at}`, novaRoute: `nova-${at}`, claudeRoute: `claude-${at}` }
}
const attempts = async (answer: Parameters<typeof bedrock.rowOf>[0]) =>
  attemptsOf(await bedrock.rowOf(answer)).map(({ provider, code }) => [provider, code])

describe('fallback across three families', () => {
  for (const stream of [false, true])
    test(stream ? 'streamed' : 'whole', async () => {
      const { nova, chain } = pair()
      bedrock.simulator.script(nova, [{ status: 429 }])
      bedrock.simulator.script('claude-opus-5', [{ status: 529 }])
      const answer = await bedrock.chat(hello(chain, { stream }))
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(await attempts(answer), [
        ['bedrock', 'rate_limited'],
        ['anthropic', 'provider_overloaded'],
        ['openai', null],
      ])
    })

  test('an exception before the first content moves on, unseen by the caller', async () => {
    const { nova, chain } = pair()
    bedrock.simulator.script(nova, [{ stream: { steps: [{ play: 'start' }, { error: 503 }, 'end'] } }])
    const answer = await bedrock.chat(hello(chain, { stream: true }))
    assert.deepEqual(await attempts(answer), [
      ['bedrock', 'provider_overloaded'],
      ['anthropic', null],
    ])
    assert.ok(answer.text.includes('[DONE]'))
  })

  test('a wrong checksum before the first content does too', async () => {
    const { nova, chain } = pair()
    const damaged = Buffer.from('0000001000000000000000000000ffff', 'hex')
    bedrock.simulator.script(nova, [{ stream: { steps: [{ raw: damaged }, 'end'] } }])
    assert.deepEqual((await attempts(await bedrock.chat(hello(chain, { stream: true }))))[0], [
      'bedrock',
      'upstream_error',
    ])
  })
})

describe('after the first content', () => {
  const cases = [
    ['an exception', { steps: [{ play: 'first' }, { error: 429 }, 'end'] }, 'rate_limited'],
    ['an exception of the model', { steps: [{ play: 'first' }, { error: 424 }, 'end'] }, 'upstream_error'],
    ['a wrong checksum', { odd: ['damaged'] }, 'upstream_error'],
    ['a cut', { steps: [{ play: 'first' }, 'cut'] }, 'upstream_error'],
    ['an end without a reason', { steps: [{ play: 'content' }, 'end'] }, 'upstream_error'],
  ] as const
  for (const [what, script, code] of cases)
    test(`${what} is told, and nothing is asked again`, async () => {
      const { nova, claude, novaRoute, claudeRoute } = pair()
      for (const [model, route] of [
        [nova, novaRoute],
        [claude, claudeRoute],
      ] as const) {
        bedrock.simulator.script(model, [{ tweak: { text: 'one two three four' }, stream: script }])
        const caller = callerOf(bedrock.url, { model: route }, {})
        await caller.ended
        assert.equal(cutOf(caller).code, code, route)
        assert.match(caller.said(), /^one/)
        assert.equal(bedrock.upstream().filter((call) => call.model === model).length, 1)
      }
    })
})

test('a stream whose caller leaves is read to its end, and its usage is the provider’s', async () => {
  bedrock.simulator.script(NOVA, [
    {
      tweak: { text: 'one two', exactUsage: { prompt: 9, completion: 8 } },
      stream: { steps: [{ play: 'first' }, 'stall', { play: 'done' }] },
    },
  ])
  const caller = callerOf(bedrock.url, { model: 'nova' }, {})
  const head = await caller.answered
  await bedrock.simulator.stalled()
  caller.leave()
  await caller.ended
  for (let turn = 0; turn < 3; turn++) await bedrock.get('/healthz')
  bedrock.simulator.resume()
  await until(() => bedrock.simulator.streams.open === 0, 'the stream is over upstream')
  assert.equal(bedrock.simulator.streams.aborted, 0)
  const id = head.headers['x-gateway-request-id']
  const find = async () => (await bedrock.rows()).find((row) => row.id === id && row['completion_tokens'] !== null)
  await until(async () => (await find()) !== undefined, 'the row is complete')
  const row = await find()
  assert.deepEqual([row?.['input_tokens'], row?.['completion_tokens'], row?.['usage_source']], [9, 8, 'provider'])
})

test('a malformed answer: empty is a failure, with a text it is an answer', async () => {
  const { nova, novaRoute } = pair()
  bedrock.simulator.script(nova, [
    { tweak: { text: '', finish: 'malformed_model_output' } },
    { tweak: { text: '', finish: 'malformed_tool_use' } },
    { tweak: { text: 'so', finish: 'malformed_tool_use' } },
  ])
  assert.equal((await bedrock.chat(hello(novaRoute))).json.error.code, 'upstream_error')
  assert.equal((await bedrock.chat(hello(novaRoute, { stream: true }))).json.error.code, 'upstream_error')
  const said = await bedrock.chat(hello(novaRoute, { stream: true }))
  assert.equal(saidIn(eventsIn(said.text)), 'so')
})

test('the body of a large request is translated in the worker, in both formats', async () => {
  const text = 'x'.repeat(600_000)
  for (const route of ['nova', 'claude']) {
    const answer = await bedrock.chat({ model: route, messages: [{ role: 'user', content: text }] })
    assert.equal(answer.status, 200, answer.text.slice(0, 300))
  }
  const native = await bedrock.post('/v1/messages', { ...hello('claude'), system: text, max_tokens: 10 })
  assert.equal(native.status, 200, native.text.slice(0, 300))
  assert.equal(bedrock.upstream().at(-1)?.model, CLAUDE)
})
