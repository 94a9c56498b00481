import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compilePrice, costOf, NO_PRICES } from '../../src/domain/pricing/price.ts'
import { UNKNOWN_TRAITS } from '../../src/domain/provider.ts'
import type { JsonObject } from '../../src/domain/request/call-request.ts'
import type { ChatRequest } from '../../src/domain/request/chat.ts'
import { promptTokens as promptTokensOf } from '../../src/endpoints/chat-completions/prompt-bound.ts'
import { holdTerms, moneyOf } from '../../src/limits/hold.ts'
import { FAMILIES } from '../../src/providers/families.ts'
import type { Translator } from '../../src/providers/family.ts'
import { fc } from '../property.ts'

const RUNS = { numRuns: 500 }
const MAX_OUTPUT = 8_192
const tier = {
  prompt_tokens_above: 200,
  ...NO_PRICES,
  input_per_mtok: '4',
  cached_input_per_mtok: '0.4',
  output_per_mtok: '40',
  audio_output_per_mtok: '45',
}
const PRICE = compilePrice({
  ...NO_PRICES,
  input_per_mtok: '2',
  cached_input_per_mtok: '0.2',
  audio_input_per_mtok: '6',
  output_per_mtok: '20',
  audio_output_per_mtok: '80',
  image_output_per_mtok: '60',
  tiers: [tier],
})

const request = fc.record({
  messages: fc.array(
    fc.record({ role: fc.constant('user'), content: fc.string({ maxLength: 300 }).map((text) => `A${text}`) }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  max_tokens: fc.option(fc.integer({ min: 1, max: 5_000 }), { nil: null }),
  n: fc.option(fc.integer({ min: 1, max: 4 }), { nil: null }),
  service_tier: fc.constantFrom(null, 'auto', 'default', 'flex', 'priority'),
  reasoning_effort: fc.constantFrom(null, 'none', 'low', 'max'),
})

/** Shares of what may be used at most, each from 0 to 1. */
const share = fc.double({ min: 0, max: 1, noNaN: true })
const shares = fc.record({
  prompt: share,
  cached: share,
  heard: share,
  output: share,
  thoughts: share,
  audio: share,
  image: share,
})
type Shares = typeof shares extends fc.Arbitrary<infer T> ? T : never

/** The largest counts that a family's service can report for a request, cut by the shares. */
type Report = (most: { prompt: number; output: number }, parts: Shares, asked: JsonObject) => JsonObject

/** The cost of an answer with these counts, and what was held for it. */
function costAndHold(chat: Translator, asked: JsonObject, parts: Shares, model: string, report: Report) {
  const given = { model, ...asked } as unknown as ChatRequest
  const traits = { ...UNKNOWN_TRAITS, maxOutputTokens: MAX_OUTPUT }
  const translation = chat.toWire(given, {
    model,
    traits,
    baseUrl: null,
    bounds: { default: null, most: null },
    isStrict: true,
  })
  assert.ok(translation.kind === 'wire', JSON.stringify(translation))
  const { bounds } = translation
  const promptTokens = promptTokensOf(given).most
  const worst = {
    promptTokens,
    bounds,
    price: PRICE,
    contextWindow: null,
    maxOutputTokens: MAX_OUTPUT,
    pricePercent: bounds.namedPercent,
  }
  const limit = Number(asked['max_tokens'] ?? MAX_OUTPUT) * Number(asked['n'] ?? 1)
  const reading = chat.fromWire(report({ prompt: promptTokens ?? 0, output: limit }, parts, asked), given)
  assert.ok(reading.kind === 'answer' && reading.answer.usage !== null, JSON.stringify(reading))
  return { cost: costOf(reading.answer.usage, PRICE), hold: moneyOf(holdTerms(worst)) }
}

function alwaysHolds(family: string, model: string, report: Report, requests: fc.Arbitrary<JsonObject>) {
  const found = FAMILIES.get(family)
  const chat = (found?.translatorsFor?.(model, { baseUrl: null }) ?? found?.translators)?.chat
  assert.ok(chat !== undefined)
  fc.assert(
    fc.property(requests, shares, (asked, parts) => {
      const { cost, hold } = costAndHold(chat, asked, parts, model, report)
      assert.ok(cost !== null && hold !== null && cost <= hold, `${cost} > ${hold}`)
    }),
    RUNS,
  )
}

/** Tools of the service are never asked for, so they bring nothing in. A tier that is full is served as the standard one. */
const gemini: Report = ({ prompt, output }, parts, asked) => {
  const promptTokenCount = Math.floor(prompt * parts.prompt)
  const written = Math.floor(output * parts.output)
  const thoughtsTokenCount = Math.floor(written * parts.thoughts)
  return {
    candidates: [{ content: { parts: [{ text: 'A' }] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount,
      cachedContentTokenCount: Math.floor(promptTokenCount * parts.cached),
      promptTokensDetails: [{ modality: 'AUDIO', tokenCount: Math.floor(promptTokenCount * parts.heard) }],
      candidatesTokenCount: written - thoughtsTokenCount,
      // Not all of it may be true: parts together may be more than the answer.
      candidatesTokensDetails: [
        { modality: 'AUDIO', tokenCount: Math.floor(written * parts.audio) },
        { modality: 'IMAGE', tokenCount: Math.floor(written * parts.image) },
      ],
      thoughtsTokenCount,
      ...(asked['service_tier'] === 'priority' && parts.heard > 0.5 ? { trafficType: 'ON_DEMAND_PRIORITY' } : {}),
    },
  }
}

const openai: Report = ({ prompt, output }, parts) => {
  const counted = Math.floor(prompt * parts.prompt)
  const written = Math.floor(output * parts.output)
  return {
    choices: [{ index: 0, message: { role: 'assistant', content: 'A' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: counted,
      completion_tokens: written,
      prompt_tokens_details: {
        cached_tokens: Math.floor(counted * parts.cached),
        audio_tokens: Math.floor(counted * parts.heard),
      },
      completion_tokens_details: {
        reasoning_tokens: Math.floor(written * parts.thoughts),
        audio_tokens: Math.floor(written * parts.audio),
        image_tokens: Math.floor(written * parts.image),
      },
    },
  }
}

const claude: Report = ({ prompt, output }, parts) => {
  const counted = Math.floor(prompt * parts.prompt)
  const cached = Math.floor(counted * parts.cached)
  return {
    content: [{ type: 'text', text: 'A' }],
    stop_reason: 'end_turn',
    usage: {
      input_tokens: counted - cached,
      cache_read_input_tokens: cached,
      output_tokens: Math.floor(output * parts.output),
    },
  }
}

describe('an answer never costs more than was held for it, whatever its counts', () => {
  for (const [family, model] of [
    ['gemini', 'gemini-3.5-flash'],
    ['gemini', 'gemini-2.5-pro'],
    ['vertex', 'gemini-3.5-flash'],
  ] as const) {
    test(`${model} at ${family}`, () => alwaysHolds(family, model, gemini, request))
  }
  test('a model of the OpenAI family', () => alwaysHolds('openai', 'gpt-audio', openai, request))
  test('Claude at vertex', () => {
    const requests = request.map(({ messages, max_tokens }) => ({ messages, max_tokens: max_tokens ?? 1_024 }))
    alwaysHolds('vertex', 'claude-sonnet-4-6', claude, requests)
  })
})
