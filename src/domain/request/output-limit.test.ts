import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitToSend } from './output-limit.ts'

const cases: [title: string, args: Parameters<typeof limitToSend>, sent: [unknown, string | null]][] = [
  ['nothing is set, nothing is sent', [undefined, { default: null, most: null }, 100], [null, null]],
  ["the caller's own goes out as it is", [7, { default: 5, most: null }, 100], [7, null]],
  ['a default where the caller names none', [null, { default: 5, most: null }, 100], [5, 'default_limit']],
  ['but never more than the model gives', [undefined, { default: 500, most: null }, 100], [100, 'default_limit']],
  ["the family's own, unless there is a default", [undefined, { default: null, most: null }, 100, 24], [24, null]],
  ['a default replaces it', [undefined, { default: 5, most: null }, 100, 24], [5, 'default_limit']],
  ['a bound lowers the own', [7, { default: null, most: 6 }, 100], [6, 'fitted_to_budget']],
  ['the default', [undefined, { default: 7, most: 6 }, 100], [6, 'fitted_to_budget']],
  ["the family's", [undefined, { default: null, most: 6 }, 100, 24], [6, 'fitted_to_budget']],
  ['and what is not limited at all', [undefined, { default: null, most: 6 }, 100], [6, 'fitted_to_budget']],
  ['but not what is lower', [5, { default: null, most: 6 }, 100], [5, null]],
  ['0 and -1 bound nothing', [-1, { default: null, most: 6 }, 100], [6, 'fitted_to_budget']],
  ['they go out as they are where nothing must fit', [0, { default: 5, most: null }, 100], [0, null]],
]

for (const [title, args, [tokens, reason]] of cases) {
  test(title, () => assert.deepEqual(limitToSend(...args), { tokens, reason }))
}
