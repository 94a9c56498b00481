import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { problemText } from './problem-text.ts'

const Schema = z.strictObject({
  name: z.string().min(2).max(4).optional(),
  count: z.int().min(1).max(9).optional(),
  share: z.coerce.number().optional(),
  items: z.array(z.strictObject({ mode: z.enum(['fast', 'slow']) })).min(1),
  above: z.number().positive().optional(),
  own: z.string('a name, please').optional(),
})

const fine = { items: [{ mode: 'fast' }] }

const CASES: readonly [unknown, string][] = [
  [{}, 'items: is missing; expected an array'],
  [{ items: [] }, 'items: expected at least 1 item'],
  [{ items: [{}] }, 'items[0].mode: expected one of fast, slow'],
  [{ items: [{ mode: 'fats' }] }, 'items[0].mode: expected one of fast, slow'],
  [{ ...fine, nmae: 1 }, 'unknown field "nmae"'],
  [{ ...fine, nmae: 1, b: 2 }, 'unknown fields "nmae", "b"'],
  [{ ...fine, name: 7 }, 'name: expected a string, not a number: write it in quotes'],
  [{ ...fine, name: 'a' }, 'name: expected at least 2 characters'],
  [{ ...fine, name: 'abcde' }, 'name: expected at most 4 characters'],
  [{ ...fine, count: '3' }, 'count: expected a number, not a string'],
  [{ ...fine, count: 1.5 }, 'count: expected a whole number'],
  [{ ...fine, count: 0 }, 'count: expected at least 1'],
  [{ ...fine, count: 10 }, 'count: expected at most 9'],
  [{ ...fine, above: 0 }, 'above: expected more than 0'],
  [{ ...fine, share: 'much' }, 'share: expected a number'],
  [{ ...fine, own: 7 }, 'own: a name, please'],
  ['text', 'expected an object, not a string'],
]

describe('a problem is one line', () => {
  for (const [value, expected] of CASES) {
    test('an unknown field where one is missing is named: it is most likely that one, misspelt', () => {
      const schema = z.strictObject({ name: z.string(), inner: z.strictObject({ key: z.string() }).optional() })
      const said = (value: unknown) => problemText(schema.safeParse(value).error ?? new z.ZodError([]))
      assert.equal(said({ nmae: 'a' }), 'unknown field "nmae"')
      assert.equal(said({}), 'name: is missing; expected a string')
      assert.equal(said({ inner: { key: 'a', more: 1 } }), 'name: is missing; expected a string')
    })

    test(expected, () => {
      const result = Schema.safeParse(value)
      assert.ok(!result.success)
      assert.equal(problemText(result.error), expected)
    })
  }
})
