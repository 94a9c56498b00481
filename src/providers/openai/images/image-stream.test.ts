import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/property.ts'
import { compilePrice, costOf, NO_PRICES } from '../../../domain/pricing/price.ts'
import { UNKNOWN_TRAITS } from '../../../domain/provider.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import { type ImagesRequest, imagesTokens } from '../../../domain/request/media/images.ts'
import { NO_BOUNDS } from '../../../domain/request/output-limit.ts'
import { holdTerms, moneyOf } from '../../../limits/hold.ts'
import { ImageStream } from './image-stream.ts'
import { images } from './images.ts'
import { imageTokens } from './output-tokens.ts'

const MODEL = 'gpt-image-2'
const PRICES = { input_per_mtok: '5', image_input_per_mtok: '8', output_per_mtok: '10', image_output_per_mtok: '30' }
const price = compilePrice({ ...NO_PRICES, ...PRICES, tiers: [] })
const eventOf = (value: unknown) => ({ event: null, data: typeof value === 'string' ? value : JSON.stringify(value) })

test('property: no event makes it throw, and it ends', () => {
  const kinds = ['partial_image', 'completed', 'x'].map((kind) => `image_generation.${kind}`)
  const odd = fc.oneof(fc.jsonValue(), fc.constant('[DONE]'), fc.string())
  const usual = fc.record(
    { type: fc.constantFrom(...kinds), b64_json: fc.base64String(), usage: fc.jsonValue(), size: fc.jsonValue() },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(odd, usual)), (events) => {
      const reader = new ImageStream({ model: 'draw', prompt: 'x', n: 2 }, MODEL)
      const parts = [...events.flatMap((each) => reader.read(eventOf(each))), ...reader.end()]
      assert.ok(['message-end', 'failed'].includes(parts.at(-1)?.type ?? ''))
    }),
  )
})

test('property: what came costs no more than was held, wherever it ends', () => {
  const asked = fc.record({
    ...{ n: fc.integer({ min: 1, max: 4 }), partial_images: fc.integer({ min: 0, max: 3 }) },
    ...{ size: fc.constantFrom('1024x1024', '3840x2160'), quality: fc.constantFrom('low', 'high') },
  })
  fc.assert(
    fc.property(asked, fc.nat(16), fc.boolean(), (more, end, hasUsage) => {
      const request = { model: 'draw', prompt: 'A cat', stream: true, ...more } as ImagesRequest
      const target = { model: MODEL, baseUrl: null, bounds: NO_BOUNDS, traits: UNKNOWN_TRAITS, isStrict: true }
      const wire = images.toWire(request, target)
      assert.ok(wire.kind === 'wire')
      const { bounds } = wire
      const promptTokens = imagesTokens(request).most
      const held = moneyOf(holdTerms({ promptTokens, bounds, price, contextWindow: null, maxOutputTokens: null }))
      const made = (imageTokens(MODEL, more.size, more.quality) ?? 0) + 100 * more.partial_images
      const completed: JsonObject = { type: 'image_generation.completed', b64_json: 'AA==' }
      if (hasUsage) completed['usage'] = { input_tokens: 5, output_tokens: made }
      const each = [...Array(more.partial_images).fill({ type: 'image_generation.partial_image' }), completed]
      const reader = new ImageStream(request, MODEL)
      for (const event of Array.from({ length: more.n }, () => each)
        .flat()
        .slice(0, end))
        reader.read(eventOf(event))
      const { usage } = reader
      if (usage === null) return
      const cost = costOf(usage.orTokens ?? usage.tokens, price)
      assert.ok(held !== null && cost !== null && cost <= held, `${cost} of ${held}`)
    }),
  )
})

test('pixels are no part of what is read, and pass', () => {
  const data = '{"type":"image_generation.partial_image", "b64_json" : "AAAA", "size":"1024x1024"}'
  const [part] = new ImageStream({ model: 'draw', prompt: 'x' }, MODEL).read(eventOf(data))
  assert.ok(part?.type === 'chunk')
  assert.deepEqual([part.json, part.value['b64_json'], part.value['size']], [data, '', '1024x1024'])
})
