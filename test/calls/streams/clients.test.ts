import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool as langchainTool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { isStepCount, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { z } from 'zod'
import { type Harness, hello, type Json, KEY, startHarness, until } from '../../harness.ts'

/** Clients change only base address and key (docs/contract.md). */
const harness: Harness = await startHarness({ environment: { STREAMING: 'on' } })
/** Its heads do not wait for content, and every silence is full of comments. */
const hasty: Harness = await startHarness({
  environment: { STREAMING: 'on', STREAM_HOLD_HEADERS_SECONDS: '0.005', STREAM_KEEP_ALIVE_SECONDS: '0.005' },
})
afterEach(async () => {
  for (const { simulator } of [harness, hasty])
    await until(() => simulator.streams.open === 0, 'no stream runs upstream')
})
after(async () => {
  await harness.stop()
  await hasty.stop()
})

/** Each client has its own models, so that no circuit opens for the next one. */
const FAMILIES = [
  { family: 'openai', prefix: 'gpt' },
  { family: 'anthropic', prefix: 'claude' },
] as const
/** What a provider does to a stream, and the error the caller gets. */
const FAULTS = { error: 'provider_overloaded', end: 'upstream_error', cut: 'upstream_error', reset: 'upstream_error' }

const Place = z.object({ city: z.string() })
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const TOOLS = ['weather', 'clock'].map((name) => ({
  type: 'function' as const,
  function: { name, description: 'now', parameters: PARAMETERS },
}))

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of stream) items.push(item)
  return items
}

async function caught(run: () => Promise<unknown>): Promise<Json> {
  return run().then(
    () => assert.fail('it ended as if nothing had happened'),
    (error: unknown) => error,
  )
}

test('the hasty gateway sends its head and comments before the first content', async () => {
  const response = await fetch(`${hasty.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(hello('gpt-sim-before-trickle', { stream: true })),
  })
  assert.match(await response.text(), /^:.*\n.*"content":".+\n:.+\[DONE\]\n\n$/s)
})

describe('the official openai package', () => {
  const client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: KEY, maxRetries: 0 })
  const patient = new OpenAI({ baseURL: `${hasty.url}/v1`, apiKey: KEY, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Grüße aus 東京 👩‍👩‍👧 !' }]

  for (const { family, prefix } of FAMILIES) {
    test(`streams text from ${family}, with usage as asked for`, async () => {
      const model = `${prefix}-sim-echo`
      const whole = await client.chat.completions.create({ model, messages })
      for (const includes of [true, false]) {
        const { data: stream, response } = await client.chat.completions
          .create({ model, messages, stream: true, ...(includes ? { stream_options: { include_usage: true } } : {}) })
          .withResponse()
        const chunks = await collect(stream)
        assert.equal(response.headers.get('x-gateway-provider'), family)
        assert.equal(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''), messages[0]?.content)
        assert.deepEqual([...new Set(chunks.map(({ model }) => model))], [model])
        assert.deepEqual(chunks.findLast(({ choices }) => choices.length > 0)?.choices[0]?.finish_reason, 'stop')
        const usages = chunks.map(({ usage }) => usage).filter((usage) => usage)
        assert.deepEqual(usages, includes ? [whole.usage] : [])
      }
    })

    test(`streams tool calls from ${family} and puts them together`, async () => {
      const stream = client.chat.completions.stream({ model: `${prefix}-sim-tools-2`, messages, tools: TOOLS })
      const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0] ?? assert.fail()
      assert.equal(finish_reason, 'tool_calls')
      const calls = (message.tool_calls ?? []).map((call) => (call.type === 'function' ? call.function : assert.fail()))
      assert.deepEqual(
        calls.map(({ name }) => name),
        ['weather', 'clock'],
      )
      for (const call of calls) Place.parse(JSON.parse(call.arguments))
      assert.equal(new Set(message.tool_calls?.map(({ id }) => id)).size, 2)
    })

    test(`runs its tool loop on streams of ${family}`, async () => {
      const cities: string[] = []
      const runner = client.chat.completions.runTools({
        stream: true,
        model: `${prefix}-sim-tools`,
        messages,
        tools: [
          {
            type: 'function',
            function: {
              name: 'weather',
              description: 'now',
              parameters: PARAMETERS,
              parse: (text: string) => Place.parse(JSON.parse(text)),
              function: ({ city }: { city: string }) => {
                cities.push(city)
                return 'four degrees'
              },
            },
          },
        ],
      })
      assert.match((await runner.finalContent()) ?? '', /four degrees/)
      assert.equal(cities.length, 1)
    })

    for (const [fault, code] of Object.entries(FAULTS)) {
      const model = `${prefix}-raw-sim-after-${fault}`
      test(`raises on ${family}'s ${fault} after content`, async () => {
        let text = ''
        const error = await caught(async () => {
          const stream = await client.chat.completions.create({ model, messages, stream: true })
          for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
        })
        assert.notEqual(text, '')
        assert.ok(error instanceof OpenAI.APIError, String(error))
        assert.deepEqual([error.code, error.type, error.status], [code, code, undefined])
        const helped = await caught(() =>
          client.chat.completions.stream({ model: model.replace('raw', 'help'), messages }).finalMessage(),
        )
        assert.equal(helped.code, code)
      })

      test(`gets a status for ${family}'s ${fault} before content`, async () => {
        const failing = `${prefix}-raw-sim-before-${fault}`
        const error = await caught(() => client.chat.completions.create({ model: failing, messages, stream: true }))
        assert.ok(error instanceof OpenAI.InternalServerError, String(error))
      })
    }

    test(`raises when all of ${family} fails after the head`, async () => {
      const model = `${prefix}-late`
      const error = { stream: { steps: [{ error: 529 }] } }
      hasty.simulator.script(model, [{ stream: { steps: ['stall', { error: 529 }] } }, error, error, error])
      const stream = await patient.chat.completions.create({ model, messages, stream: true })
      await hasty.simulator.stalled()
      hasty.simulator.resume()
      assert.equal((await caught(() => collect(stream))).code, 'provider_overloaded')
    })

    test(`takes a late head and comments of ${family}`, async () => {
      const model = `${prefix}-sim-before-trickle`
      const completion = await patient.chat.completions.stream({ model, messages }).finalChatCompletion()
      assert.match(completion.choices[0]?.message.content ?? '', /\.$/)
    })

    test(`leaves in the middle of a stream of ${family}`, async () => {
      const model = `${prefix}-sim-after-stall`
      const stream = await client.chat.completions.create({ model, messages, stream: true })
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
      await until(() => harness.simulator.streams.open === 0, 'no stream runs upstream')
    })
  }
})

describe("Vercel's ai package", () => {
  const provider = (url: string) =>
    createOpenAICompatible({ name: 'switchyard', baseURL: `${url}/v1`, apiKey: KEY, includeUsage: true })
  /** It hands errors to a callback too, which by default prints them. */
  const ask = (model: string, url = harness.url) =>
    streamText({ model: provider(url)(model), prompt: 'ping', maxRetries: 0, onError: () => {} })

  for (const { family, prefix } of FAMILIES) {
    test(`streams text and usage from ${family}`, async () => {
      const result = ask(`${prefix}-sim-echo`)
      assert.equal((await collect(result.textStream)).join(''), 'ping')
      assert.equal(await result.finishReason, 'stop')
      const whole = await harness.chat({ model: `${prefix}-sim-echo`, messages: [{ role: 'user', content: 'ping' }] })
      assert.equal((await result.usage).totalTokens, whole.json.usage.total_tokens)
    })

    test(`runs its tool loop on streams of ${family}`, async () => {
      const result = streamText({
        model: provider(harness.url)(`${prefix}-sim-tools-2`),
        prompt: 'Weather?',
        tools: {
          weather: tool({ inputSchema: Place, execute: async ({ city }) => `four degrees in ${city}` }),
          clock: tool({ inputSchema: Place, execute: async () => 'noon' }),
        },
        stopWhen: isStepCount(3),
        maxRetries: 0,
      })
      const parts = await collect(result.fullStream)
      const called = parts.filter(({ type }) => type === 'tool-call') as { toolName: string }[]
      assert.deepEqual(
        called.map(({ toolName }) => toolName),
        ['weather', 'clock'],
      )
      assert.match(await result.text, /four degrees in|noon/)
    })

    for (const [fault, code] of Object.entries(FAULTS))
      test(`gets an error part on ${family}'s ${fault} after content`, async () => {
        const parts = await collect(ask(`${prefix}-ai-sim-after-${fault}`).fullStream)
        assert.ok(parts.some(({ type }) => type === 'text-delta'))
        const failed = parts.find((part) => part.type === 'error')
        assert.match(JSON.stringify(failed), new RegExp(code))
        const finish = parts.findLast((part) => part.type === 'finish')
        assert.equal(finish?.finishReason ?? 'error', 'error')
      })

    test(`takes a late head and comments of ${family}`, async () => {
      const result = ask(`${prefix}-sim-before-trickle`, hasty.url)
      assert.match((await collect(result.textStream)).join(''), /\.$/)
    })
  }
})

describe('@langchain/openai', () => {
  const langchain = (model: string, url = harness.url) =>
    new ChatOpenAI({ model, apiKey: KEY, configuration: { baseURL: `${url}/v1` }, maxRetries: 0 })
  async function gathered(stream: Promise<AsyncIterable<AIMessageChunk>>): Promise<AIMessageChunk> {
    const chunks = await collect(await stream)
    return chunks.reduce((all, chunk) => all.concat(chunk))
  }

  for (const { family, prefix } of FAMILIES) {
    test(`streams text and usage from ${family}`, async () => {
      const message = await gathered(langchain(`${prefix}-sim-echo`).stream([new HumanMessage('ping')]))
      assert.equal(message.content, 'ping')
      const whole = await harness.chat({ model: `${prefix}-sim-echo`, messages: [{ role: 'user', content: 'ping' }] })
      const usage = message.usage_metadata as { total_tokens: number } | undefined
      assert.equal(usage?.total_tokens, whole.json.usage.total_tokens)
    })

    test(`streams tool calls from ${family} and answers them`, async () => {
      const tools = ['weather', 'clock'].map((name) =>
        langchainTool(async () => 'four degrees', { name, description: 'now', schema: Place }),
      )
      const model = langchain(`${prefix}-sim-tools-2`).bindTools(tools)
      const question = new HumanMessage('Weather?')
      const called = await gathered(model.stream([question]))
      const calls = called.tool_calls ?? []
      assert.deepEqual(
        calls.map(({ name, args }) => [name, typeof args['city']]),
        [
          ['weather', 'string'],
          ['clock', 'string'],
        ],
      )
      const results = calls.map(({ id }) => new ToolMessage({ tool_call_id: id ?? '', content: 'four degrees' }))
      assert.match(String((await gathered(model.stream([question, called, ...results]))).content), /four degrees/)
    })

    for (const [fault, code] of Object.entries(FAULTS))
      test(`raises on ${family}'s ${fault} after content`, async () => {
        let text = ''
        const error = await caught(async () => {
          for await (const chunk of await langchain(`${prefix}-lc-sim-after-${fault}`).stream('x'))
            text += chunk.content
        })
        assert.notEqual(text, '')
        assert.equal(error.code, code)
      })

    test(`takes a late head and comments of ${family}`, async () => {
      const message = await gathered(langchain(`${prefix}-sim-before-trickle`, hasty.url).stream('x'))
      assert.match(String(message.content), /\.$/)
    })
  }
})
