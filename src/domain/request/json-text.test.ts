import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { topLevelFields } from './json-text.ts'

test('every field of its own is found where its value begins, whatever is nested or escaped', () => {
  const names = fc.oneof(fc.constantFrom('model', 'a', '"', '\\', ']'), fc.string())
  const texts = fc.oneof(
    fc.string(),
    fc.string({ minLength: 30, maxLength: 90, unit: fc.constantFrom('a', '"', '\\', '}') }),
  )
  const values = fc.oneof(texts, fc.jsonValue(), fc.dictionary(names, fc.array(texts)))
  fc.assert(
    fc.property(fc.dictionary(names, values), fc.constantFrom(undefined, 1, '\t'), (body, indent) => {
      const source = JSON.stringify(body, null, indent)
      const fields = topLevelFields(source)
      assert.deepEqual(new Set(fields.keys()), new Set(Object.keys(body)))
      for (const [name, place] of fields) {
        if (place === null) {
          assert.ok(JSON.stringify(name).includes('\\'))
          continue
        }
        const written = JSON.stringify(name)
        assert.ok(source.startsWith(written, place.key))
        const first = JSON.stringify(body[name]).charAt(0)
        assert.ok(source.startsWith(first, place.start), name)
      }
    }),
    { numRuns: 1_000 },
  )
})
