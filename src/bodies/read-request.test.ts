import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { NO_BOUNDS } from '../domain/output-limit.ts'
import { UNKNOWN_TRAITS } from '../domain/provider.ts'
import { FAMILIES } from '../providers/families.ts'
import type { Translation } from '../providers/family.ts'
import { wireBody } from '../providers/wire-body.ts'
import { BodyBytes } from './body-bytes.ts'
import { OpenBodies } from './open-bodies.ts'
import { readExactly, readRequest } from './read-request.ts'

const message = (content: unknown) => ({ role: 'user', content })

describe('as little of a request is read as is enough', () => {
  for (const [what, request, isExact] of [
    ['all where it is short and ASCII', { model: 'm', messages: [message('hello')] }, true],
    ['not its long texts', { model: 'm', messages: [message('x'.repeat(300))] }, false],
    ['not the letters of its texts', { model: 'm', messages: [message('größe')], x: 'ü' }, false],
    ['all where letters are in the model', { model: 'größe', messages: [message('x')] }, true],
    ['all where letters are in a name', { model: 'm', user: 'Jürgen', messages: [message('x')] }, true],
    ['all with tools, which are counted', { model: 'm', messages: [message('ü')], tools: [] }, true],
    ['all with images', { model: 'm', messages: [message([{ type: 'image_url', image_url: 'ü' }])] }, true],
  ] as const) {
    test(what, () => {
      const read = readRequest(Buffer.from(JSON.stringify(request)))
      assert.equal(read.isExact, isExact)
      if (isExact) assert.deepEqual(read.request, request)
    })
  }
})

/** Requests with letters of every kind, in and out of the places that families look at. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'binary', minLength: 250, maxLength: 300 }),
)
const request = fc.record(
  {
    model: fc.oneof(fc.constant('fast'), text),
    messages: fc.array(
      fc.record({
        role: fc.constantFrom('user', 'system', 'assistant'),
        content: fc.oneof(text, fc.constant([{ type: 'text', text: 'ü', cache_control: { type: 'ephemeral' } }])),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    stream: fc.constantFrom(false, null),
    user: text,
    stop: fc.array(text, { maxLength: 2 }),
    x: fc.jsonValue({ maxDepth: 2 }),
    max_tokens: fc.nat(),
  },
  { requiredKeys: ['messages'] },
)

test('fuzz: what is opened, translated and written is what would be on one thread, the errors too', () => {
  const families = [...FAMILIES.keys()]
  fc.assert(
    fc.property(request, fc.boolean(), fc.shuffledSubarray(families, { minLength: 1 }), (value, isEscaped, chain) => {
      const json = JSON.stringify(value)
      const source = Buffer.from(isEscaped ? json.replace(/[\u0080-\uffff]/g, escaped) : json)
      const bodies = new OpenBodies()
      const opened = outcome(() => bodies.open(1, new BodyBytes([new Uint8Array(source).buffer]), true))
      const exact = outcome(() => readExactly(source).request)
      if (typeof exact === 'string' || typeof opened === 'string') {
        assert.equal(opened, exact)
        return
      }
      assert.equal(opened.outline.model, exact.model)
      const target = { model: 'upstream', traits: UNKNOWN_TRAITS, baseUrl: null, bounds: NO_BOUNDS }
      const destinations = chain.map((family, position) => ({ ...target, family, position }))
      const { translations, written } = bodies.translate(1, destinations)
      for (const { family, position } of destinations) {
        const expected: Translation | undefined = FAMILIES.get(family)?.toWire(exact, target)
        assert.equal(translations[position]?.kind, expected?.kind)
        if (expected?.kind !== 'wire') continue
        const bytes = Buffer.from(written ?? bodies.write(1, position))
        assert.equal(bytes.toString(), Buffer.from(wireBody(expected.body, exact, source)).toString())
      }
    }),
    { numRuns: 1_000 },
  )
})

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function outcome<T>(work: () => T): T | string {
  try {
    return work()
  } catch (error) {
    return String(error)
  }
}
