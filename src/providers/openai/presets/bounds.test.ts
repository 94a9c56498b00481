import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatOf } from '../../../../test/fixtures/openai/chat-of.ts'
import { fc } from '../../../../test/property.ts'
import { UNKNOWN_TRAITS } from '../../../domain/provider.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import { VENDORS } from './vendors.ts'

/** The longest answer of the made-up model, where no limit is certain. */
const LONGEST = 5_000
const maybeLimit = fc.option(fc.integer({ min: 1, max: 500 }), { nil: undefined })

/** A call, and a count that the vendor may give for it: no completion is longer than its limit. */
const call = fc.record({
  preset: fc.constantFrom(...[...VENDORS].flatMap(([name, { hasNoChat }]) => (hasNoChat === true ? [] : [name]))),
  older: maybeLimit,
  newer: maybeLimit,
  configured: fc.option(fc.integer({ min: 1, max: 500 }), { nil: null }),
  fitted: fc.option(fc.integer({ min: 1, max: 500 }), { nil: null }),
  n: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  tier: fc.constantFrom(undefined, 'auto', 'default', 'flex', 'priority'),
  isStream: fc.boolean(),
  prompt: fc.integer({ min: 0, max: 1_000 }),
  cached: fc.integer({ min: 0, max: 2_000 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  reasoning: fc.integer({ min: 0, max: LONGEST }),
})

test('no count of any vendor exceeds the bounds of its request', () => {
  fc.assert(
    fc.property(
      call,
      ({ preset, older, newer, configured, fitted, n, tier, isStream, prompt, cached, share, reasoning }) => {
        const chat = chatOf(preset)
        const fields = { max_tokens: older, max_completion_tokens: newer, n, service_tier: tier, stream: isStream }
        const request = { model: 'a', messages: [{ role: 'user', content: 'hi' }], ...fields } as ChatRequest
        const bounds = { default: configured, most: fitted }
        const translation = chat.toWire(request, { model: 'grok-4', traits: UNKNOWN_TRAITS, baseUrl: null, bounds })
        if (translation.kind !== 'wire') return
        const { body, bounds: reported } = translation
        const sent = [body['max_tokens'], body['max_completion_tokens']].filter((each) => typeof each === 'number')
        const answers = typeof body['n'] === 'number' ? body['n'] : 1
        // Where two limits are sent, either may be the one that counts.
        const longest = sent.length === 0 ? LONGEST : Math.max(...sent)
        const completion = Math.floor(longest * answers * share)
        // Beside the completion where the vendor counts so: it is limited by the model alone.
        const isBeside = preset === 'xai'
        const thoughts = isBeside
          ? Math.min(reasoning, LONGEST * answers - completion)
          : Math.min(reasoning, completion)
        const usage: JsonObject = {
          prompt_tokens: prompt,
          completion_tokens: completion,
          total_tokens: prompt + completion + (isBeside ? thoughts : 0),
          prompt_cache_hit_tokens: cached,
          completion_tokens_details: { reasoning_tokens: thoughts },
        }
        const reading = chat.fromWire({ choices: [], usage, service_tier: body['service_tier'] }, request)
        assert.ok(reading.kind === 'answer' && reading.answer.usage !== null)
        const counted = reading.answer.usage
        assert.ok(counted.input + counted.cachedInput + counted.cacheWrite30m <= prompt)
        assert.ok(
          counted.output <= (reported.outputTokens ?? LONGEST) * reported.answers,
          `${preset}: ${counted.output}`,
        )
        assert.ok(counted.output >= completion + (isBeside ? thoughts : 0), 'all of it is counted')
        assert.ok(counted.pricePercent <= reported.namedPercent)
        if (preset !== 'azure') assert.ok(counted.pricePercent >= 100, 'tiers of others are not cheaper')
      },
    ),
    { numRuns: 2_000 },
  )
})
