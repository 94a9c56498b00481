import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Limits } from '../domain/limits.ts'
import type { KeyFields, LimitFields } from './fields.ts'
import { keySettings, limitsAfter, nameOf } from './settings.ts'

const hard = { usd: '5', per: 'month', mode: 'hard', when_tight: 'fit' } as const

describe('limits after a request', () => {
  const table: [name: string, fields: LimitFields, before: Limits | null, after: Limits | null][] = [
    ['nothing', {}, null, null],
    ['a budget fits answers', { max_budget: '5', budget_duration: '30d' }, null, { budget: hard }],
    ['without a duration it is in total', { max_budget: '5' }, null, { budget: { ...hard, per: 'total' } }],
    [
      'a new amount keeps the rest',
      { max_budget: '9' },
      { rpm: 1, budget: hard },
      { rpm: 1, budget: { ...hard, usd: '9' } },
    ],
    [
      'what an operator chose here stays',
      { max_budget: '9' },
      { budget: { usd: '5', per: 'day', mode: 'hard', when_tight: 'refuse' } },
      { budget: { usd: '9', per: 'day', mode: 'hard', when_tight: 'refuse' } },
    ],
    ['null removes the budget', { max_budget: null }, { budget: hard }, null],
    ['another period', { budget_duration: '1d' }, { budget: hard }, { budget: { ...hard, per: 'day' } }],
    ['a soft budget alone warns', { soft_budget: '3' }, null, { budget: { usd: '3', per: 'total', mode: 'soft' } }],
    ['beside a hard one it is only kept', { soft_budget: '3' }, { budget: hard }, { budget: hard }],
    ['rates', { rpm_limit: 1, tpm_limit: 2, max_parallel_requests: 3 }, null, { rpm: 1, tpm: 2, max_parallel: 3 }],
    ['null removes a rate', { rpm_limit: null }, { rpm: 1, tpm: 2 }, { tpm: 2 }],
    ['others stay', { rpm_limit: 1 }, { max_output_tokens: 9 }, { rpm: 1, max_output_tokens: 9 }],
  ]
  for (const [name, fields, before, after] of table) {
    test(name, () => assert.deepEqual(limitsAfter(fields, before), after))
  }
})

describe('models and notes', () => {
  const table: [fields: KeyFields, allowed: string[] | null | undefined, note: object | null][] = [
    [{}, undefined, null],
    [{ models: [] }, null, null],
    [{ models: ['chat', 'gp*'] }, ['chat', 'gp*'], null],
    [{ models: ['all-team-models'] }, null, { models: ['all-team-models'] }],
    [{ user_id: 'ada', metadata: { a: 1 }, tags: [] }, undefined, { user_id: 'ada', metadata: { a: 1 }, tags: [] }],
  ]
  for (const [fields, allowed, note] of table) {
    test(JSON.stringify(fields), () => {
      const settings = keySettings(fields, 0)
      assert.deepEqual([settings.allowed_models, settings.note], [allowed, note])
    })
  }
  test('a note of others stays; null clears a field', () => {
    const present = { limits: null, note: { theirs: 1, user_id: 'ada', tags: ['x'] } }
    assert.deepEqual(keySettings({ user_id: null }, 0, present).note, { theirs: 1, tags: ['x'] })
  })
  for (const fields of [{ models: ['no-default-models'] }, { key_type: 'management' }]) {
    test(`${JSON.stringify(fields)} is refused`, () =>
      assert.throws(() => keySettings(fields, 0), { code: 'invalid_request' }))
  }
})

describe('an alias becomes a name', () => {
  const table: [alias: string, name: string][] = [
    ['run-42', 'run-42'],
    ['run 42 / ä', 'run-42-'],
    ['-_x', 'x'],
    ['äöü', 'fallback'],
    ['a'.repeat(70), 'a'.repeat(64)],
  ]
  for (const [alias, name] of table) test(alias, () => assert.equal(nameOf(alias, 'fallback'), name))
})
