import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses'
import { z } from 'zod'
import { type Json, KEY, until } from '../../harness.ts'
import { NATIVE, startResponses, WAYS } from './world.ts'

const [native, translated] = [await startResponses({ config: NATIVE }), await startResponses()]
afterEach(async () => {
  for (const { simulator } of [native, translated])
    await until(() => simulator.streams.open === 0, 'no stream runs upstream')
})
after(async () => {
  await native.stop()
  await translated.stop()
})

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const TOOLS = ['weather', 'clock'].map((name) => ({
  ...{ type: 'function' as const, name, description: 'now' },
  ...{ parameters: PARAMETERS, strict: true },
}))
const Place = z.object({ city: z.string() })

async function caught(run: () => Promise<unknown>): Promise<Json> {
  return run().then(
    () => assert.fail('it ended as if nothing had happened'),
    (error: unknown) => error,
  )
}

for (const { way, config, prefix } of WAYS) {
  const world = config === NATIVE ? native : translated
  const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, maxRetries: 0 })

  describe(`the official openai package, ${way}`, () => {
    test('creates a response', async () => {
      const model = `${prefix}-sim-echo`
      const { data, response } = await client.responses
        .create({ model, input: 'Grüße aus 東京 👩‍👩‍👧 !' })
        .withResponse()
      assert.deepEqual([data.output_text, data.status, data.model], ['Grüße aus 東京 👩‍👩‍👧 !', 'completed', model])
      assert.match(data.id, /^resp_/)
      assert.ok((data.usage?.input_tokens ?? 0) > 0 && (data.usage?.output_tokens ?? 0) > 0)
      assert.deepEqual(data.usage?.total_tokens, (data.usage?.input_tokens ?? 0) + (data.usage?.output_tokens ?? 0))
      assert.equal(response.headers.get('x-gateway-model'), model)
      assert.match(response.headers.get('x-gateway-request-id') ?? '', /^resp_/)
    })

    test('streams the same response', async () => {
      const model = `${prefix}-sim-echo`
      const input = 'one two three'
      const whole = await client.responses.create({ model, input })
      const stream = client.responses.stream({ model, input })
      const numbers: number[] = []
      let said = ''
      for await (const event of stream) {
        numbers.push(event.sequence_number)
        if (event.type === 'response.output_text.delta') said += event.delta
      }
      const final = await stream.finalResponse()
      assert.deepEqual(numbers, [...numbers.keys()])
      assert.deepEqual([said, final.output_text, final.status, final.model], [input, input, 'completed', model])
      assert.deepEqual(final.usage, whole.usage)
    })

    test('calls tools, sends the results back, and gets an answer', async () => {
      const model = `${prefix}-sim-tools-2`
      const question: ResponseInputItem = { role: 'user', content: 'Weather?' }
      for (const isStreamed of [false, true]) {
        const fields = { model, tools: TOOLS, store: false }
        const asked = { ...fields, input: [question] }
        const first: Response = isStreamed
          ? await client.responses.stream(asked).finalResponse()
          : await client.responses.create(asked)
        const calls = first.output.filter((item) => item.type === 'function_call')
        assert.deepEqual(
          calls.map(({ name, status }) => [name, status]),
          [
            ['weather', 'completed'],
            ['clock', 'completed'],
          ],
        )
        for (const call of calls) Place.parse(JSON.parse(call.arguments))
        const results = calls.map((call) => ({
          ...{ type: 'function_call_output' as const, call_id: call.call_id },
          output: 'four degrees',
        }))
        const items = first.output as ResponseInputItem[]
        const second = await client.responses.create({ ...fields, input: [question, ...items, ...results] })
        assert.match(second.output_text, /four degrees/)
      }
    })

    test('parses structured output', async () => {
      const body = {
        ...{ model: `${prefix}-structured`, input: 'Where?' },
        text: { format: zodTextFormat(Place, 'place') },
      }
      const parsed = await client.responses.parse(body)
      assert.equal(typeof parsed.output_parsed?.city, 'string')
      const streamed = await client.responses.stream(body).finalResponse()
      assert.equal(typeof streamed.output_parsed?.city, 'string')
    })

    test('an answer at its limit is incomplete', async () => {
      const model = `${prefix}-sim-length`
      for (const response of [
        await client.responses.create({ model, input: 'x' }),
        await client.responses.stream({ model, input: 'x' }).finalResponse(),
      ]) {
        assert.deepEqual(
          [response.status, response.incomplete_details],
          ['incomplete', { reason: 'max_output_tokens' }],
        )
      }
    })

    test('thoughts come as a reasoning item', async () => {
      const model = `${prefix}-sim-thoughts`
      const body = { model, input: 'x', include: ['reasoning.encrypted_content' as const] }
      const streamed = await client.responses.stream(body).finalResponse()
      for (const response of [await client.responses.create(body), streamed]) {
        const [first, second] = response.output
        assert.ok(first?.type === 'reasoning', JSON.stringify(response.output))
        assert.equal(second?.type, 'message')
      }
    })

    test('errors are of the right classes', async () => {
      const of = (model: string, stream: boolean) =>
        caught(async () => client.responses.create({ model: `${prefix}-${stream}-${model}`, input: 'x', stream }))
      for (const stream of [false, true]) {
        assert.ok((await of('sim-400', stream)) instanceof OpenAI.BadRequestError)
        assert.ok((await of('sim-429-noretry', stream)) instanceof OpenAI.RateLimitError)
        assert.ok((await of('sim-500-noretry', stream)) instanceof OpenAI.InternalServerError)
      }
      assert.ok((await of('sim-before-error', true)) instanceof OpenAI.InternalServerError)
    })

    for (const fault of ['error', 'end', 'cut', 'reset']) {
      test(`a stream with ${fault} after content fails, and says so`, async () => {
        const stream = client.responses.stream({ model: `${prefix}-sim-after-${fault}`, input: 'x' })
        const types: string[] = []
        const response = await stream
          .on('event', (event) => types.push(event.type))
          .finalResponse()
          .catch((error: unknown) => error as Json)
        assert.equal(types.at(-1), 'response.failed', String(types))
        assert.ok(!types.includes('response.completed'))
        assert.ok(response instanceof Error || response.status === 'failed', JSON.stringify(response))
      })
    }

    test('a server that ignores stream is streamed all the same', async () => {
      const stream = client.responses.stream({ model: `${prefix}-sim-whole`, input: 'x' })
      const final = await stream.finalResponse()
      assert.match(final.output_text, /\.$/)
      assert.equal(final.status, 'completed')
    })
  })
}
