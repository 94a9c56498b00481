import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Budget } from '../../components/limits/budget-watch.ts'
import { eachWords, hrefOfValue, type ValueBudget, type ValueUse, valueRows } from './value-rows.ts'

const use = (more: Partial<ValueUse>): ValueUse => ({
  ...{ value: null, session: null, key_id: null, key: null, limit_usd: '2', spent_usd: '1', held_usd: '0' },
  ...{ remaining_usd: '1', resets_at: null },
  ...more,
})
const budget = (more: Partial<ValueBudget>): ValueBudget => ({
  ...{ each: 'session', per: 'total', mode: 'hard', limit_usd: '2', live: 3, tightest: [] },
  ...more,
})

test('a budget has a line for each of its values, and one where it has none', () => {
  const owner = { scope: 'key', id: 'k', name: 'agents', workspace: 'a b' } as const
  const values = [budget({ tightest: [use({ value: 'x' }), use({ value: 'y' })] }), budget({ each: 'user' })]
  const rows = valueRows([{ ...owner, values } as Budget, { ...owner, id: 'other', values: null } as Budget])
  assert.deepEqual(
    rows.map(({ id, isFirst, use }) => [id, isFirst, use?.value ?? null]),
    [
      ['key k 0 0', true, 'x'],
      ['key k 0 1', false, 'y'],
      ['key k 1 0', true, null],
    ],
  )
})

test('what a budget is for, in words', () => {
  const table: [Partial<ValueBudget>, string][] = [
    [{}, 'for each session'],
    [{ each: 'user', per: 'day' }, 'for each user a day'],
    [{ each: 'tag:team', per: 'month', mode: 'soft' }, 'for each value of team a month (soft)'],
    [{ each: null, per: 'week' }, 'a week'],
    [{ each: null }, 'in total'],
  ]
  for (const [given, words] of table) assert.equal(eachWords(budget(given)), words)
})

test('a value leads to the requests that it counts', () => {
  const owner = { scope: 'key', id: 'k', name: 'agents', workspace: 'a b' } as const
  const hrefOf = (each: string | null, given: Partial<ValueUse>) => {
    const found = use(given)
    return hrefOfValue({ id: '', owner, budget: budget({ each }), use: found, isFirst: true }, found)
  }
  assert.equal(hrefOf('session', { value: 'x&y', key_id: 'k' }), '/a%20b/requests?key=k&session=x%26y')
  assert.equal(hrefOf('agent', { value: 'look', session: 's' }), '/a%20b/requests?session=s&agent=look')
  assert.equal(hrefOf('tag:team', { value: 'blue' }), '/a%20b/requests?tag=team%3Ablue')
  assert.equal(hrefOf('key', { key_id: 'k' }), '/a%20b/requests?key=k')
})
