import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compilePrice, NO_PRICES } from '../../../src/domain/pricing/price.ts'
import { UNKNOWN_TRAITS } from '../../../src/domain/provider.ts'
import {
  type CompletionsRequest,
  completionTokens,
  generatedAnswers,
  readCompletionsRequest,
} from '../../../src/domain/request/completions.ts'
import type { Chunk, StreamPart } from '../../../src/domain/request/stream.ts'
import { assembled } from '../../../src/endpoints/assembly.ts'
import { assembleText } from '../../../src/endpoints/completions/assemble.ts'
import { holdTerms, moneyOf } from '../../../src/limits/hold.ts'
import type { Target, Translator } from '../../../src/providers/family.ts'
import { openaiFamily } from '../../../src/providers/openai/openai-family.ts'

function at(preset?: string): Translator<CompletionsRequest> {
  const accent = { baseUrl: null, ...(preset === undefined ? {} : { preset }) }
  const translator = openaiFamily.translatorsFor?.('m', accent)?.completions
  assert.ok(translator !== undefined, preset)
  return translator as Translator<CompletionsRequest>
}

const TARGET: Target = { model: 'm', traits: UNKNOWN_TRAITS, baseUrl: null, bounds: { default: null, most: null } }

function wire(request: object, preset?: string, target: Partial<Target> = {}) {
  const asked = { model: 'a', prompt: 'x', ...request } as CompletionsRequest
  return at(preset).toWire(asked, { ...TARGET, ...(preset === undefined ? {} : { preset }), ...target })
}

describe('a request', () => {
  for (const [what, request, preset, body] of [
    [
      'passes',
      { echo: true, logprobs: 5, suffix: 'y', stop: ['z'] },
      undefined,
      { echo: true, logprobs: 5, suffix: 'y', stop: ['z'] },
    ],
    ['asks for usage', { stream: true }, undefined, { stream: true, stream_options: { include_usage: true } }],
    ['keeps its lists', { prompt: [[1, 2], [3]], n: 2 }, 'vllm', { prompt: [[1, 2], [3]], n: 2 }],
    ['has the seed of the vendor', { seed: 1, n: 1, user: 'u' }, 'mistral', { random_seed: 1 }],
    [
      'asks for no usage where that is refused',
      { stream: true, suffix: 'y' },
      'mistral',
      { stream: true, suffix: 'y' },
    ],
    ['leaves hints out', { suffix: 'y', seed: 1 }, 'deepseek', { suffix: 'y' }],
  ] as const) {
    test(`${what} at ${preset ?? 'the vendor'}`, () => {
      const translation = wire(request, preset)
      assert.ok(translation.kind === 'wire', JSON.stringify(translation))
      assert.deepEqual(translation.body, { model: 'm', prompt: 'x', ...body })
    })
  }

  for (const [preset, request, message] of [
    ['mistral', { n: 2 }, 'n: not supported by this provider'],
    ['mistral', { prompt: ['x', 'y'] }, 'prompt: this provider takes one text, not a list'],
    ['mistral', { logprobs: 0 }, 'logprobs: not supported by this provider'],
    ['deepseek', { best_of: 3 }, 'best_of: not supported by this provider'],
    ['deepseek', { prompt: [1, 2] }, 'prompt: this provider takes one text, not a list'],
    ['ollama', { echo: true }, 'echo: not supported by this provider'],
    ['vllm', { suffix: 'y' }, 'suffix: not supported by this provider'],
  ] as const) {
    test(`with ${JSON.stringify(request)} is refused by ${preset}`, () => {
      const translation = wire(request, preset)
      assert.ok(translation.kind === 'refused')
      assert.equal(translation.message.kept, message)
    })
  }

  for (const preset of ['groq', 'cohere', 'azure', 'xai'])
    test(`${preset} completes no texts`, () => {
      assert.equal(openaiFamily.translatorsFor?.('m', { baseUrl: null, preset })?.completions, undefined)
    })

  test('under a hard budget has no field of unknown cost', () => {
    const translation = wire({ prompt_embeds: 'x' }, 'vllm', { isStrict: true })
    assert.ok(translation.kind === 'refused')
    assert.match(translation.message.kept, /a hard budget applies/)
  })

  for (const bad of [
    { prompt: [] },
    { prompt: ['x', 1] },
    { prompt: [[]] },
    { prompt: null },
    { prompt: [-1] },
    { n: 'x' },
  ])
    test(`with ${JSON.stringify(bad)} is no request`, () => {
      assert.throws(() => readCompletionsRequest({ model: 'm', prompt: 'x', ...bad }))
    })
})

describe('the hold', () => {
  test('covers every prompt and every answer that is generated (C1)', () => {
    const asked = { prompt: ['x'.repeat(400), 'y'.repeat(400), 'z'.repeat(400)], n: 2, best_of: 5, max_tokens: 100 }
    const translation = wire(asked)
    assert.ok(translation.kind === 'wire')
    const { bounds } = translation
    assert.deepEqual([bounds.answers, bounds.outputTokens], [15, 100])
    const price = compilePrice({ ...NO_PRICES, tiers: [], input_per_mtok: '1.5', output_per_mtok: '2' })
    const terms = holdTerms({ promptTokens: 1_200, bounds, price, contextWindow: null, maxOutputTokens: null })
    assert.equal(moneyOf(terms), 4_800_000_000n)
    // And the marks that models put around each prompt.
    assert.equal(completionTokens({ model: 'm', ...asked }).most, 1_200 + 3 * 8)
  })

  for (const [request, preset, most] of [
    [{}, undefined, 16],
    [{ max_tokens: 0, echo: true }, undefined, 0],
    [{ max_tokens: -1 }, undefined, null],
    [{}, 'vllm', null],
    [{ max_tokens: 0 }, 'vllm', null],
    [{ max_tokens: 7 }, 'vllm', 7],
  ] as const) {
    test(`of ${JSON.stringify(request)} at ${preset ?? 'the vendor'} is for ${most} tokens an answer`, () => {
      const translation = wire(request, preset)
      assert.ok(translation.kind === 'wire')
      assert.equal(translation.bounds.outputTokens, most)
    })
  }

  test('counts tokens of a list one each, and a suffix with every prompt', () => {
    const of = (prompt: CompletionsRequest['prompt'], suffix?: string) =>
      completionTokens({ model: 'm', prompt, ...(suffix === undefined ? {} : { suffix }) }).most
    assert.deepEqual([of([1, 2, 3]), of([[1], [2, 3]]), of(['é', 'b'], 'cc')], [11, 19, 23])
    assert.equal(generatedAnswers({ prompt: [[1], [2]], n: 3, best_of: null }), 6)
  })

  test('sets the limit that a budget has room for', () => {
    const translation = wire({}, 'vllm', { bounds: { default: null, most: 9 } })
    assert.ok(translation.kind === 'wire')
    assert.deepEqual([translation.body['max_tokens'], translation.bounds.outputTokens], [9, 9])
  })
})

function streamed(events: readonly unknown[], request: object = {}, preset?: string) {
  const reader = at(preset).stream?.open({ model: 'a', prompt: 'x', ...request } as CompletionsRequest)
  assert.ok(reader !== undefined)
  const read = events.flatMap((data) =>
    reader.read({ event: null, data: typeof data === 'string' ? data : JSON.stringify(data) }),
  )
  return { parts: [...read, ...reader.end()], usage: reader.usage }
}

const kinds = (parts: readonly StreamPart[]) => parts.map(({ type }) => type)
const chunk = (index: number, text: string, finish_reason: string | null = null) => ({
  choices: [{ index, text, logprobs: null, finish_reason }],
})

describe('a stream', () => {
  test('passes its chunks, and keeps the end of each choice', () => {
    const events = [
      chunk(0, 'a'),
      chunk(1, 'b', 'length'),
      chunk(0, 'c', 'stop'),
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
      '[DONE]',
    ]
    const { parts, usage } = streamed(events, { n: 2 })
    const chunks = parts.filter((part): part is Chunk => part.type === 'chunk')
    assert.deepEqual(
      chunks.map(({ isEnd, contentBytes }) => [isEnd, contentBytes]),
      [
        [false, 1],
        [true, 1],
        [true, 1],
      ],
    )
    assert.deepEqual(parts.at(-1), { type: 'message-end', finishReason: 'stop', warning: null })
    assert.deepEqual([usage?.isFinal, usage?.tokens.input, usage?.tokens.output], [true, 3, 2])
    const { choices } = assembled(
      assembleText(),
      chunks.map(({ value }) => value),
    )
    assert.deepEqual(
      (choices as { text: string }[]).map(({ text }) => text),
      ['ac', 'b'],
    )
  })

  for (const [what, events, request] of [
    ['that is cut', [chunk(0, 'a')], {}],
    ['that is done too early', [chunk(0, 'a'), '[DONE]'], {}],
    ['that lacks a choice', [chunk(0, 'a', 'stop')], { prompt: ['x', 'y'] }],
    ['that fails', [chunk(0, 'a'), { error: { message: 'no', code: 500 } }], {}],
    ['that cannot be read', ['{'], {}],
  ] as const) {
    test(`${what} has failed`, () => assert.equal(kinds(streamed(events, request).parts).at(-1), 'failed'))
  }

  test('of a chat is one of texts', () => {
    const of = (delta: object, finish_reason: string | null) => ({
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
    })
    const { parts } = streamed(
      [of({ role: 'assistant', content: '' }, null), of({ content: 'hi' }, null), of({}, 'model_length')],
      {},
      'mistral',
    )
    assert.deepEqual(kinds(parts), ['chunk', 'chunk', 'chunk', 'message-end'])
    const [, said, last] = parts as [Chunk, Chunk, Chunk]
    assert.deepEqual(JSON.parse(said.json), {
      object: 'text_completion',
      choices: [{ index: 0, text: 'hi', logprobs: null, finish_reason: null }],
    })
    assert.deepEqual((last.value['choices'] as object[])[0], {
      index: 0,
      text: '',
      logprobs: null,
      finish_reason: 'length',
    })
  })

  test('may come whole', () => {
    const body = { object: 'text_completion', choices: [{ index: 0, text: 'hé', finish_reason: 'stop' }], usage: {} }
    const parts = at().stream?.partsOf(
      { body, usage: null, finishReason: 'stop', warning: null },
      { model: 'a', prompt: 'x' },
    )
    assert.deepEqual(
      parts?.map((part) => (part.type === 'chunk' ? [part.contentBytes, part.isEnd] : part.type)),
      [[3, true], 'message-end'],
    )
  })
})

describe('an answer', () => {
  test('of a chat is one of texts', () => {
    const reading = at('mistral').fromWire(
      {
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 2 },
      },
      { model: 'a', prompt: 'x' },
    )
    assert.ok(reading.kind === 'answer')
    assert.equal(reading.answer.body['object'], 'text_completion')
    assert.deepEqual(reading.answer.body['choices'], [{ index: 0, text: 'hi', logprobs: null, finish_reason: 'stop' }])
    assert.equal(reading.answer.usage?.output, 2)
  })

  test('without choices is none', () => {
    assert.equal(at().fromWire({ object: 'text_completion' }, { model: 'a', prompt: 'x' }).kind, 'failure')
  })
})
