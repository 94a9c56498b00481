import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/property.ts'
import { topLevelFields } from './top-level-fields.ts'

test('every field of its own is found where its value begins, whatever is nested or escaped', () => {
  const names = fc.oneof(fc.constantFrom('model', 'a', '"', '\\', ']'), fc.string())
  // Long texts are searched in another way than short ones.
  const texts = fc.oneof(
    fc.string(),
    fc.string({ minLength: 30, maxLength: 90, unit: fc.constantFrom('a', '"', '\\', '}') }),
  )
  const values = fc.oneof(texts, fc.jsonValue(), fc.dictionary(names, fc.array(texts)))
  fc.assert(
    fc.property(fc.dictionary(names, values), fc.constantFrom(undefined, 1, '\t'), (body, indent) => {
      const source = Buffer.from(JSON.stringify(body, null, indent))
      const fields = topLevelFields(source)
      assert.deepEqual(new Set(fields.keys()), new Set(Object.keys(body)))
      for (const [name, place] of fields) {
        if (place === null) {
          assert.ok(JSON.stringify(name).includes('\\'))
          continue
        }
        const written = JSON.stringify(name)
        assert.equal(source.toString('utf8', place.key, place.key + Buffer.byteLength(written)), written)
        const first = JSON.stringify(body[name]).charAt(0)
        assert.ok(source.toString('utf8', place.start).startsWith(first), name)
      }
    }),
    { numRuns: 1_000 },
  )
})
