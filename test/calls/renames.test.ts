import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { type Answered, type Harness, hello, type Json, startHarness } from '../harness.ts'
import { newKey } from '../limits/limited.ts'
import { managing } from '../management/manage.ts'

const harness: Harness = await startHarness({
  config: `
workspaces:
  default:
    routes:
      first: { chain: [{ provider: openai, model: gpt-5.2, retries: 0 }, { provider: openai, model: gpt-4o-mini }] }
`,
})
const { simulator, chat } = harness
beforeEach(() => simulator.reset())
after(() => harness.stop())

const sentLimits = () =>
  harness.upstream().map(({ body }: Json) => [body.max_tokens ?? null, body.max_completion_tokens ?? null])
const adjusted = (answer: Answered) => answer.headers.get('x-gateway-adjusted')
const RENAMED = 'max_completion_tokens;renamed;from=max_tokens'

async function rowOf(answer: Answered) {
  const row = await harness.rowOf(answer)
  return { attempts: JSON.parse(String(row['attempts'])), adjustments: JSON.parse(String(row['adjustments'] ?? '[]')) }
}

/** What the vendor says of a field that a model knows under another name. */
const wants = (name: string, instead: string) => ({
  status: 400,
  body: {
    error: {
      message: `Unsupported parameter: '${name}' is not supported with this model. Use '${instead}' instead.`,
      type: 'invalid_request_error',
      param: name,
      code: 'unsupported_parameter',
    },
  },
})
const unknown = (name: string) => ({
  status: 400,
  body: { error: { message: `Unknown parameter: '${name}'.`, param: name, code: 'unknown_parameter' } },
})

describe('a name that the provider wants otherwise', () => {
  test('goes out as sent, then once more under that name, and is told', async () => {
    const answer = await chat(hello('first', { max_tokens: 30 }))
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(sentLimits(), [
      [30, null],
      [null, 30],
    ])
    assert.equal(adjusted(answer), RENAMED)
    assert.equal(answer.headers.get('x-gateway-fallback-used'), 'false')
    const { attempts, adjustments } = await rowOf(answer)
    assert.equal(attempts.length, 2)
    assert.deepEqual([attempts[0].status, attempts[0].code], [400, 'unsupported_parameter'])
    assert.match(attempts[0].reason, /asked again with 'max_completion_tokens' for 'max_tokens'/)
    const reported = { field: 'max_completion_tokens', value: null, reason: 'renamed', from: 'max_tokens' }
    assert.deepEqual(adjustments, [reported])
  })

  test('is remembered for the model, and only for it', async () => {
    await chat(hello('gpt-5.4', { max_tokens: 30 }))
    simulator.reset()
    const answer = await chat(hello('gpt-5.4', { max_tokens: 31 }))
    assert.equal(answer.status, 200)
    assert.deepEqual(sentLimits(), [[null, 31]])
    assert.equal(adjusted(answer), RENAMED)
    simulator.reset()
    const other = await chat(hello('gpt-4o-mini', { max_tokens: 32 }))
    assert.deepEqual(sentLimits(), [[32, null]])
    assert.equal(adjusted(other), null)
    simulator.reset()
    assert.equal(adjusted(await chat(hello('gpt-5.4', { max_completion_tokens: 33 }))), null)
    assert.deepEqual(sentLimits(), [[null, 33]])
  })

  test('the bytes stay as they came but for the name', async () => {
    const source = (name: string, model: string) =>
      `{ "seed": 12345678901234567890, "${name}" : 30, "model": "${model}", "messages":[{"role":"user","content":"ü"}] }`
    const raw: string[] = []
    simulator.script('gpt-sim-echo', [wants('max_tokens', 'max_completion_tokens'), undefined, undefined])
    for (let call = 0; call < 2; call++) {
      assert.equal((await chat(source('max_tokens', 'gpt-sim-echo'))).status, 200)
    }
    for (const call of harness.upstream()) raw.push(call.rawBody)
    const [first, ...later] = ['max_tokens', 'max_completion_tokens', 'max_completion_tokens']
    assert.deepEqual(
      raw,
      [first, ...later].map((name) => source(String(name), 'gpt-sim-echo')),
    )
  })

  for (const size of [300_000, 3_000_000]) {
    test(`a large request of ${size} bytes is asked again the same way`, async () => {
      const model = `gpt-5.6-${size === 300_000 ? 'luna' : 'terra'}`
      const content = 'x'.repeat(size)
      const request = { model, messages: [{ role: 'user', content }], max_tokens: 30 }
      const answer = await chat(request)
      assert.equal(answer.status, 200, answer.text.slice(0, 300))
      assert.deepEqual(sentLimits(), [
        [30, null],
        [null, 30],
      ])
      assert.equal(harness.sent().messages[0].content, content)
      assert.equal(adjusted(answer), RENAMED)
      simulator.reset()
      assert.equal((await chat(request)).status, 200)
      assert.deepEqual(sentLimits(), [[null, 30]])
    })
  }

  for (const [size, model] of [
    [10, 'gpt-5.1'],
    [300_000, 'gpt-5.4-mini'],
    [3_000_000, 'gpt-5.5'],
  ] as const) {
    test(`a limit that the gateway itself has set is renamed as well (${size} bytes)`, async () => {
      const key = await newKey(harness, { max_output_tokens: 40 })
      simulator.script(model, [wants('max_tokens', 'max_completion_tokens')])
      const answer = await chat({ model, messages: [{ role: 'user', content: 'x'.repeat(size) }] }, key.headers)
      assert.equal(answer.status, 200, answer.text.slice(0, 300))
      assert.deepEqual(sentLimits(), [
        [40, null],
        [null, 40],
      ])
      assert.equal(adjusted(answer), `max_tokens=40;default_limit, ${RENAMED}`)
    })
  }

  test('is forgotten when the provider refuses the new name', async () => {
    const model = 'gpt-4.1-mini'
    simulator.script(model, [wants('max_tokens', 'max_completion_tokens')])
    await chat(hello(model, { max_tokens: 5 }))
    simulator.reset()
    simulator.script(model, [unknown('max_completion_tokens')])
    const answer = await chat(hello(model, { max_tokens: 6 }))
    assert.equal(answer.status, 200)
    assert.deepEqual(sentLimits(), [
      [null, 6],
      [6, null],
    ])
    assert.equal(adjusted(answer), null)
    simulator.reset()
    await chat(hello(model, { max_tokens: 7 }))
    assert.deepEqual(sentLimits(), [[7, null]])
  })

  test('is asked for once: what the provider says then is the answer', async () => {
    const script = [wants('max_tokens', 'max_completion_tokens'), wants('max_completion_tokens', 'max_tokens')]
    simulator.script('gpt-sim-tools', script)
    const answer = await chat(hello('gpt-sim-tools', { max_tokens: 5 }))
    assert.equal(answer.status, 400)
    assert.equal(answer.json.error.code, 'unsupported_parameter')
    assert.equal(harness.upstream().length, 2)
  })

  test('any other field follows too, as long as nothing else is meant by the name', async () => {
    simulator.script('gpt-4o', [wants('user', 'end_user'), { status: 200 }])
    const answer = await chat(hello('gpt-4o', { user: 'u-1' }))
    assert.equal(answer.status, 200)
    assert.equal(harness.sent().end_user, 'u-1')
    assert.equal('user' in harness.sent(), false)
  })
})

describe('a provider cannot have something else sent', () => {
  for (const [title, fields, name, instead] of [
    ['a name that the request has already', { user: 'u', end_user: 'v' }, 'user', 'end_user'],
    ['a field that was not sent', {}, 'user', 'end_user'],
    ['a limit under a name that bounds nothing', { max_tokens: 5 }, 'max_tokens', 'output_length'],
    ['a name that means something else', { max_tokens: 5 }, 'max_tokens', 'n'],
    ['the same of another field', { user: 'u' }, 'user', 'service_tier'],
    ['a value that is no scalar', { metadata: { a: 'b' } }, 'metadata', 'labels'],
    ['the messages', {}, 'messages', 'input'],
    ['no name', { seed: 5 }, 'seed', 'the dashboard'],
  ] as const) {
    test(title, async () => {
      simulator.script('gpt-4.1', [wants(name, instead)])
      const answer = await chat(hello('gpt-4.1', fields))
      assert.equal(answer.status, 400)
      assert.equal(answer.json.error.code, 'unsupported_parameter')
      assert.equal(harness.upstream().length, 1)
      assert.equal(adjusted(answer), null)
    })
  }
})

describe('a field that is refused as unknown, and that a call can do without', () => {
  const model = (size: number) => `gpt-4.1-nano-${size}`
  for (const size of [10, 300_000]) {
    test(`is left out once, remembered and told, with ${size} bytes`, async () => {
      const text = 'ü'.repeat(size)
      const ask = () =>
        chat(
          `{ "user":"u", "seed":12345678901234567890, "model":"openai/${model(size)}", "messages":[{"role":"user","content":"${text}"}], "metadata" : {"a":"b"} }`,
        )
      simulator.script(model(size), [unknown('user'), unknown('metadata'), undefined, undefined])
      const first = await ask()
      assert.equal(first.status, 200, first.text.slice(0, 300))
      assert.equal(adjusted(first), 'user;refused, metadata;refused')
      const row = await rowOf(first)
      assert.deepEqual(
        row.attempts.map(({ status, reason }: Json) => [status, reason]),
        [
          [400, "asked again without 'user', which the provider does not take"],
          [400, "asked again without 'metadata', which the provider does not take"],
          [200, 'served'],
        ],
      )
      const { steps } = (
        await managing(() => harness)('GET', `/requests/${first.headers.get('x-gateway-request-id')}/explain`)
      ).json
      assert.match(steps.join('\n'), /left out 'metadata': the provider does not take it with this model/)
      const second = await ask()
      assert.equal(adjusted(second), 'user;refused, metadata;refused')
      const sent = harness.upstream().map(({ rawBody }) => rawBody)
      assert.equal(sent.length, 4)
      const bare = `{ "seed":12345678901234567890, "model":"${model(size)}", "messages":[{"role":"user","content":"${text}"}] }`
      assert.deepEqual(sent.slice(2), [bare, bare], 'all else is as the caller wrote it')
    })
  }

  test('is not left out of what the caller needs, nor for a value that is wrong', async () => {
    for (const [fields, refusal] of [
      [{ logit_bias: { 1: 1 } }, unknown('logit_bias')],
      [{ tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] }, unknown('tools')],
      [{ max_tokens: 5 }, unknown('max_tokens')],
      [{ service_tier: 'flex' }, unknown('service_tier')],
      [
        { user: 'u' },
        {
          status: 400,
          body: { error: { message: 'user is too long', param: 'user', code: 'string_above_max_length' } },
        },
      ],
    ] as const) {
      simulator.reset()
      simulator.script('gpt-4.1', [refusal])
      const answer = await chat(hello('gpt-4.1', fields))
      assert.equal(answer.status, 400, answer.text)
      assert.equal(harness.upstream().length, 1)
      assert.equal(adjusted(answer), null)
    }
  })

  test('is forgotten where the call failed all the same', async () => {
    const other = 'gpt-4.1-other'
    simulator.script(other, [unknown('user'), { status: 400 }, undefined])
    assert.equal((await chat(hello(other, { user: 'u' }))).status, 400)
    assert.equal(adjusted(await chat(hello(other, { user: 'u' }))), null)
    assert.equal(harness.sent().user, 'u')
  })
})
