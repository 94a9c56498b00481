import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NO_BOUNDS } from '../domain/output-limit.ts'
import { UNKNOWN_TRAITS } from '../domain/provider.ts'
import { BodyBytes } from './body-bytes.ts'
import { OpenBodies } from './open-bodies.ts'
import { skim } from './skimmed-body.ts'

const bytesOf = (json: string) => new BodyBytes([new Uint8Array(Buffer.from(json)).buffer])
const destination = (position: number, model: string) => ({
  position,
  model,
  family: 'openai',
  traits: UNKNOWN_TRAITS,
  baseUrl: null,
  bounds: NO_BOUNDS,
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'binary', minLength: 250, maxLength: 300 }),
)
const message = fc.record({ role: fc.constantFrom('user', 'system', 'assistant'), content: text })
const fields = fc.record(
  {
    model: fc.constantFrom('fast', 'smart', 'cheap', 'a "quoted" one', 'größe', '', 5),
    messages: fc.array(message, { minLength: 1, maxLength: 3 }),
    stream: fc.constantFrom(false, null),
    max_tokens: fc.constantFrom(7, 8, 9, 'seven'),
    user: fc.constantFrom('u', 'v', 'ü'),
    x: fc.constantFrom({ model: 'inner' }, 'model', '"model"', null),
  },
  { requiredKeys: ['model', 'messages'] },
)
const request = fc
  .tuple(fields, fc.constantFrom(0, 1, 2), fc.nat(5))
  .map(([value, spaces, turn]) => JSON.stringify(turned(value, turn), null, spaces))

/** With its fields in another order. */
function turned(value: object, by: number): object {
  const entries = Object.entries(value)
  return Object.fromEntries([...entries.slice(by), ...entries.slice(0, by)])
}

test('fuzz: what is skimmed, and sent to one or two providers, is what the worker would make of it', () => {
  let written = 0
  fc.assert(
    fc.property(request, fc.constantFrom(['u'], ['u', 'a-much-longer-name'], ['größer', 'u']), (json, models) => {
      const skimmed = skim(bytesOf(json), true)
      if (skimmed === null) return
      const bodies = new OpenBodies()
      assert.deepEqual(skimmed.opened, bodies.open(1, bytesOf(json), true))
      const destinations = models.map((model, position) => destination(position, model))
      const translations = skimmed.translate(destinations)
      if (translations === null) return
      const expected = bodies.translate(1, destinations)
      assert.deepEqual(translations, expected.translations)
      for (const { position } of destinations) {
        const bytes = expected.written ?? bodies.write(1, position)
        assert.equal(textOf(skimmed.write(position)), textOf(bytes))
        written += 1
      }
    }),
    { numRuns: 2_000 },
  )
  assert.ok(written > 200)
})

test('what cannot be sent as it came is not, and its bytes are whole', () => {
  const json = JSON.stringify({ model: 'fast', messages: [{ role: 'user', content: 'x', model: 'inner' }] })
  const skimmed = skim(bytesOf(json), false)
  assert.equal(skimmed?.translate([destination(0, 'u')]), null)
  assert.equal(textOf(new Uint8Array(skimmed?.take() ?? new ArrayBuffer(0))), json)
})

test('a family that must read the texts does not get what was skimmed, even to refuse it', () => {
  const json = JSON.stringify({ model: 'fast', messages: [{ role: 'user', content: 'x'.repeat(300) }], n: 2 })
  const anthropic = { ...destination(0, 'u'), family: 'anthropic' }
  const bodies = new OpenBodies()
  bodies.open(1, bytesOf(json), false)
  assert.equal(bodies.translate(1, [anthropic]).translations[0]?.kind, 'refused')
  assert.equal(skim(bytesOf(json), false)?.translate([anthropic]), null)
})

test('a request of many small parts is not read here', () => {
  const messages = Array.from({ length: 5_000 }, () => ({ role: 'user', content: 'hello' }))
  assert.equal(skim(bytesOf(JSON.stringify({ model: 'fast', messages })), false), null)
})

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString()
}
