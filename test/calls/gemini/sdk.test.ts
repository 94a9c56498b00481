import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import {
  BlockedReason,
  type Content,
  FinishReason,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
} from '@google/genai'
import { startSimulator } from '../../../simulator/simulator.ts'
import { UNKNOWN_TRAITS } from '../../../src/domain/provider.ts'
import type { JsonObject } from '../../../src/domain/request/call-request.ts'
import type { ChatRequest } from '../../../src/domain/request/chat.ts'
import { NO_BOUNDS } from '../../../src/domain/request/output-limit.ts'
import { chat, embeddings } from '../../../src/providers/gemini/gemini-family.ts'
import type { Json } from '../../harness.ts'
import { WEATHER } from './world.ts'

const simulator = await startSimulator()
const sdk = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: simulator.geminiUrl } })
beforeEach(() => simulator.reset())
after(() => simulator.close())

const MODEL = 'gemini-3.5-flash'
const TARGET = { model: MODEL, traits: UNKNOWN_TRAITS, baseUrl: null, bounds: NO_BOUNDS }
const settings = { safety_settings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] }
const USER = { role: 'user', content: 'Hi' }
const call = (id: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Ulm"}' },
  ...more,
})
const signed = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } })
const PNG = 'data:image/png;base64,iVBORw0KGgo='

/** One of everything that is ever sent. */
const REQUESTS: [what: string, request: JsonObject][] = [
  ['a text', { messages: [{ role: 'system', content: 'Be brief.' }, USER] }],
  [
    'sampling, limits and tiers',
    {
      messages: [USER],
      temperature: 0.5,
      top_p: 0.9,
      seed: 3,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      n: 2,
      max_tokens: 99,
      stop: ['a'],
      service_tier: 'flex',
    },
  ],
  ['effort', { messages: [USER], reasoning_effort: 'low' }],
  [
    'a schema',
    {
      messages: [USER],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'x', schema: { type: 'object', properties: { a: { type: 'string' } } } },
      },
    },
  ],
  [
    'files',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image_url', image_url: { url: PNG } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          ],
        },
      ],
    },
  ],
  [
    'tools and their history',
    {
      messages: [
        USER,
        { role: 'assistant', content: 'Looking', tool_calls: [call('a', signed('c2ln')), call('b')] },
        { role: 'tool', tool_call_id: 'a', content: '{"sky":"blue"}' },
        { role: 'tool', tool_call_id: 'b', content: 'sunny' },
        { role: 'assistant', content: 'Fine.', ...signed('c2ln') },
        USER,
      ],
      tools: [WEATHER],
      tool_choice: { type: 'function', function: { name: 'weather' } },
    },
  ],
]

function wireOf(request: JsonObject): Json {
  const translation = chat.toWire({ model: 'm', ...request } as unknown as ChatRequest, { ...TARGET, settings })
  assert.ok(translation.kind === 'wire', JSON.stringify(translation))
  return translation.body
}

/** The body as the vendor's client has it: everything but the contents is configuration. */
function asSdk({ contents, generationConfig, ...rest }: Json): {
  model: string
  contents: Content[]
  config: GenerateContentConfig
} {
  return { model: MODEL, contents, config: { ...generationConfig, ...rest } }
}

describe('what we send is what the vendor’s client sends', () => {
  for (const [what, request] of REQUESTS) {
    test(what, async () => {
      simulator.script(MODEL, [{ tweak: { text: 'ok' } }, { tweak: { text: 'ok' } }])
      const wire = wireOf(request)
      await sdk.models.generateContent(asSdk(wire))
      for await (const _ of await sdk.models.generateContentStream(asSdk(wire)));
      const [whole, streamed] = simulator.calls
      // It writes an empty configuration too.
      const sent = { generationConfig: {}, ...wire }
      assert.deepEqual(whole?.body, sent)
      assert.deepEqual(streamed?.body, sent)
      const provider = {
        name: 'g',
        family: 'gemini',
        baseUrl: simulator.geminiUrl,
        apiKey: 'k',
        headers: {},
        onCallerLeft: 'drain',
      } as const
      for (const [each, isStream] of [
        [whole, false],
        [streamed, true],
      ] as const) {
        const { url, headers } = chat.target(provider, MODEL, isStream)
        assert.equal(`${each?.path}${each?.query ? `?${each.query}` : ''}`, url.replace(simulator.geminiUrl, ''))
        assert.equal(each?.headers['x-goog-api-key'], headers['x-goog-api-key'])
      }
    })
  }

  /** Its serialisers look into some parts only; its types know all of them. */
  test('contents are of its types', () => {
    const [files, tools] = ['files', 'tools and their history'].map((name) => {
      return wireOf(REQUESTS.find(([what]) => what === name)?.[1] ?? {})['contents']
    })
    const see: Content[] = [
      {
        role: 'user',
        parts: [
          { text: 'See' },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
          { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
        ],
      },
    ]
    const functionCall = (id: string) => ({ id, name: 'weather', args: { city: 'Ulm' } })
    const history: Content[] = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      {
        role: 'model',
        parts: [
          { text: 'Looking' },
          { functionCall: functionCall('a'), thoughtSignature: 'c2ln' },
          { functionCall: functionCall('b') },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'weather', response: { sky: 'blue' } } },
          { functionResponse: { id: 'b', name: 'weather', response: { result: 'sunny' } } },
        ],
      },
      { role: 'model', parts: [{ text: 'Fine.', thoughtSignature: 'c2ln' }] },
      { role: 'user', parts: [{ text: 'Hi' }] },
    ]
    assert.deepEqual([files, tools], [see, history])
  })

  test('embeddings', async () => {
    const translation = embeddings.toWire(
      { model: 'e', input: ['a', 'b'], dimensions: 4 },
      { ...TARGET, model: 'gemini-embedding-001' },
    )
    assert.ok(translation.kind === 'wire')
    const answer = await sdk.models.embedContent({
      model: 'gemini-embedding-001',
      contents: ['a', 'b'],
      config: { outputDimensionality: 4 },
    })
    const sent = JSON.parse(simulator.calls[0]?.rawBody ?? '{}').requests.map(({ content, ...rest }: Json) => ({
      ...rest,
      content: { parts: content.parts },
    }))
    assert.deepEqual(sent, translation.body['requests'])
    const reading = embeddings.fromWire({ embeddings: answer.embeddings }, { model: 'e', input: ['a', 'b'] })
    assert.ok(reading.kind === 'answer')
    assert.deepEqual(
      (reading.answer.body['data'] as Json[]).map(({ embedding }) => embedding),
      answer.embeddings?.map(({ values }) => values),
    )
  })
})

describe('what the vendor’s client reads, we read', () => {
  /** Typed by the client: a field that it does not know does not compile. */
  const RECORDED: Omit<
    GenerateContentResponse,
    'text' | 'data' | 'functionCalls' | 'executableCode' | 'codeExecutionResult' | 'initialPromptTokenCount'
  > = {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Let me see', thought: true },
            { text: 'Looking.' },
            { functionCall: { id: 'f1', name: 'weather', args: { city: 'Ulm' } }, thoughtSignature: 'c2ln' },
            { functionCall: { name: 'weather', args: { city: 'Bonn' } } },
          ],
        },
        finishReason: FinishReason.STOP,
        index: 0,
        avgLogprobs: -0.1,
        safetyRatings: [],
        citationMetadata: { citations: [] },
      },
    ],
    usageMetadata: {
      promptTokenCount: 30,
      cachedContentTokenCount: 10,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 7,
      toolUsePromptTokenCount: 2,
      totalTokenCount: 44,
    },
    modelVersion: MODEL,
    responseId: 'r1',
  }

  test('the same texts, calls and counts', async () => {
    simulator.script(MODEL, [{ body: RECORDED }])
    const theirs = await sdk.models.generateContent({ model: MODEL, contents: 'Hi' })
    const reading = chat.fromWire(RECORDED, { model: 'm', messages: [] })
    assert.ok(reading.kind === 'answer')
    const [choice] = reading.answer.body['choices'] as Json[]
    assert.equal(choice.message.content, theirs.text)
    assert.deepEqual(
      choice.message.tool_calls.map((each: Json) => [each.function.name, JSON.parse(each.function.arguments)]),
      theirs.functionCalls?.map(({ name, args }) => [name, args]),
    )
    assert.equal((reading.answer.body['usage'] as Json).total_tokens, theirs.usageMetadata?.totalTokenCount)
  })

  test('every reason to end that the client knows has a word of ours', () => {
    const unclear = new Set<string>()
    for (const finishReason of Object.values(FinishReason)) {
      const body = { candidates: [{ content: { parts: [{ text: 'A' }] }, finishReason }] }
      const reading = chat.fromWire(body, { model: 'm', messages: [] })
      assert.ok(reading.kind === 'answer', finishReason)
      if (reading.answer.warning !== null) unclear.add(finishReason)
    }
    assert.deepEqual([...unclear].sort(), [
      'FINISH_REASON_UNSPECIFIED',
      'MALFORMED_FUNCTION_CALL',
      'OTHER',
      'TOO_MANY_TOOL_CALLS',
      'UNEXPECTED_TOOL_CALL',
    ])
  })

  test('every reason to block a prompt that the client knows is one for us', () => {
    for (const blockReason of Object.values(BlockedReason)) {
      const reading = chat.fromWire({ promptFeedback: { blockReason } }, { model: 'm', messages: [] })
      const code = blockReason === BlockedReason.BLOCKED_REASON_UNSPECIFIED ? 'upstream_error' : 'content_filtered'
      assert.ok(reading.kind === 'failure' && reading.failure.code === code, blockReason)
    }
  })
})
