import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { doneSteps, type Installation, stepStates } from './first-steps.ts'

const provider = {
  name: 'p',
  family: 'f',
  configured: false,
  circuits: [],
  last_error: null,
  calls_5m: 0,
  errors_5m: 0,
}
const EMPTY: Installation = {
  status: { catalog: [], providers: [{ ...provider, last_success_at: null }] },
  hasCalls: false,
  keys: 1,
  budgets: [],
}
const withKey = { ...EMPTY.status, providers: [{ ...provider, configured: true, last_success_at: null }] }
const read = { provider: 'p', models: 3, read_at: '2026-11-18T00:00:00Z', problem: null }

const TABLE: [what: string, change: Partial<Installation>, done: string[]][] = [
  ['nothing', {}, []],
  ['a provider', { status: withKey }, ['provider']],
  ['a provider whose models were read', { status: { ...withKey, catalog: [read] } }, ['provider', 'test']],
  ['a call', { status: withKey, hasCalls: true }, ['provider', 'test', 'call']],
  ['a key of its own', { keys: 2 }, ['key']],
  ['limits without a budget', { budgets: [{ limits: { rpm: 5 } }] }, []],
  ['a budget', { budgets: [{ limits: { budget: { usd: '5', per: 'month', mode: 'hard' } } }] }, ['budget']],
]

describe('what is done is seen in what there is', () => {
  for (const [what, change, done] of TABLE) {
    test(what, () => assert.deepEqual([...doneSteps({ ...EMPTY, ...change })], done))
  }
})

test('the first step that is neither done nor skipped is the one to do', () => {
  const states = stepStates(new Set(['provider', 'call']), ['test'])
  assert.deepEqual(
    states?.map(({ state }) => state),
    ['done', 'skipped', 'done', 'now', 'later'],
  )
  assert.equal(stepStates(new Set(['provider', 'test', 'call']), ['key', 'budget']), null)
})
