import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  CountTokensCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime'
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts'
import type { ChatRequest } from '../../../src/domain/request/chat.ts'
import type { MessagesRequest } from '../../../src/domain/request/messages.ts'
import { bedrockFamily } from '../../../src/providers/bedrock/bedrock-family.ts'
import type { Translator } from '../../../src/providers/family.ts'
import { NOVA, provider, targetOf } from '../../fixtures/bedrock/translate.ts'
import type { Json } from '../../harness.ts'

const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'

interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  body: Json
}

let simulator: Simulator
let client: BedrockRuntimeClient
let sent: Sent | undefined

before(async () => {
  simulator = await startSimulator()
  client = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: simulator.bedrockUrl,
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' },
    maxAttempts: 1,
    requestHandler: {
      async handle(request: Json) {
        sent = {
          ...request,
          body: request.body === undefined ? null : JSON.parse(Buffer.from(request.body).toString()),
        }
        const { protocol, hostname, port, path, method, headers, body } = request
        const response = await fetch(`${protocol}//${hostname}:${port}${path}`, { method, headers, body })
        const read = response.body === null ? undefined : Readable.fromWeb(response.body as Json)
        return { response: { statusCode: response.status, headers: Object.fromEntries(response.headers), body: read } }
      },
    } as Json,
  })
})
after(() => simulator.close())
beforeEach(() => simulator.reset())

const translatorOf = (model: string, name: 'chat' | 'messages' | 'count_tokens') =>
  (bedrockFamily.translatorsFor?.(model, { baseUrl: null })[name] ?? assert.fail()) as Translator
const pathOf = (translator: Translator, model: string, isStream: boolean) =>
  new URL(translator.target(provider(), model, isStream).url).pathname

/** Ours as the official client takes it: bytes are bytes. */
function typed(value: Json): Json {
  if (Array.isArray(value)) return value.map(typed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => {
      const isBytes = name === 'bytes' || name === 'redactedContent'
      return [name, isBytes ? Buffer.from(String(child), 'base64') : typed(child)]
    }),
  )
}

const call = { id: 'call_1', type: 'function', function: { name: 'wx', arguments: '{"city":"Rome"}' } }
const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const REQUESTS: [what: string, fields: Json][] = [
  ['plain', { messages: [{ role: 'user', content: 'hello' }] }],
  [
    'every field',
    {
      messages: [
        {
          role: 'system',
          content: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral', ttl: '1h' } }],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look', cache_control: { type: 'ephemeral' } },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
            { type: 'file', file: { file_data: 'data:text/plain,hi', filename: 'notes' } },
          ],
        },
        {
          role: 'assistant',
          content: 'so',
          tool_calls: [call],
          thinking_blocks: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'redacted_thinking', data: 'ZGF0YQ==' },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'sunny', is_error: true },
      ],
      tools: [{ type: 'function', function: { name: 'wx', description: 'd', parameters, strict: true } }],
      tool_choice: { type: 'function', function: { name: 'wx' } },
      ...{ max_tokens: 100, temperature: 0.5, top_p: 0.9, stop: ['x'], service_tier: 'priority' },
    },
  ],
  [
    'a schema and an effort',
    {
      messages: [{ role: 'user', content: 'hello' }],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'n', schema: { type: 'object', properties: {}, additionalProperties: false } },
      },
      reasoning_effort: 'low',
    },
  ],
]

describe('what we send is what the official client writes', () => {
  for (const [what, fields] of REQUESTS) {
    for (const isStream of [false, true]) {
      test(`${what}${isStream ? ', streamed' : ''}`, async () => {
        const model = 'amazon.nova-2-lite-v1:0'
        const translator = translatorOf(model, 'chat')
        const settings = { region: 'us-east-1', guardrail_id: 'g1', guardrail_version: '2' }
        const made = translator.toWire({ model, ...fields } as ChatRequest, targetOf(model, { settings }))
        assert.equal(made.kind, 'wire')
        const body = made.kind === 'wire' ? made.body : {}
        const input = { modelId: model, ...typed(body) } as ConverseCommandInput
        if (isStream) await client.send(new ConverseStreamCommand(input))
        else await client.send(new ConverseCommand(input))
        // A member that the client does not know, or of another type, would be missing there.
        assert.deepEqual(sent?.body, body)
        assert.equal(sent?.path, pathOf(translator, model, isStream))
        assert.equal(simulator.calls.at(-1)?.status, 200)
      })
    }
  }
})

describe('what the official client reads is what we read', () => {
  const thinking = { thinking: 'well, then', text: 'one two three', cacheWriteTokens: 6, cachedTokens: 5 }
  const calls = { calls: [{ name: 'wx', input: { city: 'Rome' } }] }
  const messages = [{ role: 'user' as const, content: [{ text: 'hello' }] }]
  const request = { model: NOVA, messages: [{ role: 'user', content: 'hello' }] } as unknown as ChatRequest

  for (const [what, tweak] of [
    ['a text with thoughts', thinking],
    ['a call', calls],
  ] as const) {
    test(`${what}, whole`, async () => {
      simulator.script(NOVA, [{ tweak }, { tweak }])
      const theirs = await client.send(new ConverseCommand({ modelId: NOVA, messages }))
      const raw = await fetch(`${simulator.bedrockUrl}${pathOf(translatorOf(NOVA, 'chat'), NOVA, false)}`, {
        ...{ method: 'POST', body: JSON.stringify({ messages }) },
        headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
      })
      const reading = translatorOf(NOVA, 'chat').fromWire(await raw.json(), request)
      assert.ok(reading.kind === 'answer')
      const { answer } = reading
      const message = (answer.body['choices'] as Json)[0].message
      const content = theirs.output?.message?.content ?? []
      assert.equal(message.content ?? '', content.map((block) => block.text ?? '').join(''))
      const used = content.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [[toolUse.name, toolUse.input]]))
      const ours = (message.tool_calls ?? []).map(({ function: made }: Json) => [made.name, JSON.parse(made.arguments)])
      assert.deepEqual(ours, used)
      assert.deepEqual(answer.reasoning?.length ?? 0, content.filter((block) => block.reasoningContent).length)
      checkUsage(answer.usage, theirs.usage)
    })

    test(`${what}, streamed`, async () => {
      const bytes: Uint8Array[] = []
      simulator.script(NOVA, [{ tweak }, { tweak }])
      const theirs = await client.send(new ConverseStreamCommand({ modelId: NOVA, messages }))
      const events: Json[] = []
      for await (const event of theirs.stream ?? []) events.push(event)
      const translator = translatorOf(NOVA, 'chat')
      const raw = await fetch(`${simulator.bedrockUrl}${pathOf(translator, NOVA, true)}`, {
        ...{ method: 'POST', body: JSON.stringify({ messages }) },
        headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
      })
      for await (const piece of raw.body ?? []) bytes.push(piece)
      const { framing, open } = translator.stream ?? assert.fail()
      const frames = framing?.open() ?? assert.fail()
      const reader = open(request)
      const parts = bytes.flatMap((piece) => frames.read(piece)).flatMap((event) => reader.read(event))
      const text = (type: string) => parts.map((part) => (part.type === type ? (part as Json).text : '')).join('')
      const deltas = events.map((event) => event.contentBlockDelta?.delta ?? {})
      assert.equal(text('text-delta'), deltas.map((delta) => delta.text ?? '').join(''))
      assert.equal(text('tool-input-delta'), deltas.map((delta) => delta.toolUse?.input ?? '').join(''))
      assert.equal(parts.at(-1)?.type, 'message-end')
      checkUsage(reader.usage?.tokens, events.find((event) => event.metadata).metadata.usage)
    })
  }

  function checkUsage(ours: Json, theirs: Json): void {
    assert.deepEqual(
      [ours.input, ours.cachedInput, ours.cacheWrite5m + ours.cacheWrite1h, ours.output],
      [theirs.inputTokens, theirs.cacheReadInputTokens, theirs.cacheWriteInputTokens, theirs.outputTokens],
    )
  }
})

describe('Claude’s own format', () => {
  const asked = { model: CLAUDE, max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] } as MessagesRequest
  const wire = (name: 'messages' | 'count_tokens') => {
    const made = translatorOf(CLAUDE, name).toWire(asked, targetOf(CLAUDE))
    return made.kind === 'wire' ? (made.body as Json) : assert.fail()
  }

  test('is invoked, streamed and counted like this', async () => {
    const body = Buffer.from(JSON.stringify(wire('messages')))
    const common = { modelId: CLAUDE, body, contentType: 'application/json' }
    const whole = await client.send(new InvokeModelCommand(common))
    assert.equal(sent?.path, pathOf(translatorOf(CLAUDE, 'messages'), CLAUDE, false))
    const reading = translatorOf(CLAUDE, 'messages').fromWire(JSON.parse(Buffer.from(whole.body).toString()), asked)
    assert.equal(reading.kind, 'answer')
    const streamed = await client.send(new InvokeModelWithResponseStreamCommand(common))
    assert.equal(sent?.path, pathOf(translatorOf(CLAUDE, 'messages'), CLAUDE, true))
    const types: string[] = []
    for await (const event of streamed.body ?? [])
      types.push(JSON.parse(Buffer.from(event.chunk?.bytes ?? []).toString()).type)
    assert.deepEqual([types[0], types.at(-1)], ['message_start', 'message_stop'])
    const counted = wire('count_tokens')
    const input = { invokeModel: { body: Buffer.from(counted.input.invokeModel.body, 'base64') } }
    const { inputTokens } = await client.send(new CountTokensCommand({ modelId: CLAUDE, input }))
    assert.deepEqual(sent?.body, counted)
    assert.ok(Number(inputTokens) > 0)
  })
})

test('errors of the simulator are the official client’s exceptions', async () => {
  const errors: [status: number, name: string][] = [
    [400, 'ValidationException'],
    [403, 'AccessDeniedException'],
    [404, 'ResourceNotFoundException'],
    [408, 'ModelTimeoutException'],
    [424, 'ModelErrorException'],
    [429, 'ThrottlingException'],
    [500, 'InternalServerException'],
    [503, 'ServiceUnavailableException'],
  ]
  const messages = [{ role: 'user' as const, content: [{ text: 'hello' }] }]
  for (const [status, name] of errors) {
    simulator.script(NOVA, [{ status }])
    await assert.rejects(client.send(new ConverseCommand({ modelId: NOVA, messages })), { name })
  }
  simulator.script(NOVA, [{ stream: { steps: [{ play: 'first' }, { error: 429 }, 'end'] } }])
  const { stream } = await client.send(new ConverseStreamCommand({ modelId: NOVA, messages }))
  await assert.rejects(
    async () => {
      for await (const _ of stream ?? []);
    },
    { name: 'ThrottlingException' },
  )
})
