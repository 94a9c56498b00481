import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Condition } from '../domain/alerts/alert.ts'
import type { AlertRow } from '../store/engine/schema.ts'
import { decide } from './decide.ts'

const seen = (identity: string, more: Partial<Condition> = {}): Condition => ({
  identity,
  ...{ rule: 'circuit_open', severity: 'warning', subject: 's', workspace: null, summary: 'x' },
  ...{ forMs: 0, holdMs: 0, isOnce: false, supersedes: [] },
  ...more,
})

const open = (identity: string, more: Partial<AlertRow> = {}): AlertRow => ({
  ...{ id: `id ${identity}`, identity, rule: 'circuit_open', severity: 'warning', subject: 's', workspace: null },
  ...{ summary: 'x', since: 0, seen_at: 0, hold_ms: 0, fired_at: 0, resolved_at: null },
  ...more,
})

const nothing = { begin: [], renew: [], fire: [], resolve: [], end: [], forget: [] }

function decided(
  rows: AlertRow[],
  conditions: Condition[],
  more: { now?: number; firedBefore?: string[]; unknown?: Condition['rule'][] } = {},
) {
  const findings = { conditions, unknown: new Set(more.unknown) }
  return decide(rows, findings, { now: more.now ?? 1000, graceMs: 300, firedBefore: new Set(more.firedBefore) })
}

describe('what is to be written', () => {
  test('a new finding begins an alert, unless it fires only once and has done so', () => {
    const once = seen('b', { isOnce: true })
    assert.deepEqual(decided([], [seen('a'), once], { firedBefore: ['b'] }), { ...nothing, begin: [seen('a')] })
  })

  test('something that must last fires when it has', () => {
    const row = open('a', { fired_at: null, since: 500, seen_at: 900 })
    const condition = seen('a', { forMs: 1000 })
    assert.deepEqual(decided([row], [condition], { now: 1499 }), { ...nothing, renew: ['id a'] })
    assert.deepEqual(decided([row], [condition], { now: 1500 }), { ...nothing, renew: ['id a'], fire: [row] })
  })

  test('an alert that is not seen for a while is over, and forgotten if no message was sent', () => {
    const fired = open('a', { seen_at: 700 })
    const young = open('b', { seen_at: 700, fired_at: null })
    assert.deepEqual(decided([fired, young], [], { now: 999 }), nothing)
    assert.deepEqual(decided([fired, young], [], { now: 1000 }), {
      ...nothing,
      resolve: [fired],
      forget: ['id b'],
    })
  })

  test('a rule may wait longer, and one that cannot be judged ends nothing', () => {
    const row = open('a', { hold_ms: 5000 })
    assert.deepEqual(decided([row], [], { now: 4999 }), nothing)
    assert.deepEqual(decided([row], [], { now: 5000, unknown: ['circuit_open'] }), nothing)
    assert.deepEqual(decided([row], [], { now: 5000 }), { ...nothing, resolve: [row] })
  })

  test('what says more ends what says less without a word', () => {
    const more = seen('80', { supersedes: ['50'] })
    assert.deepEqual(decided([open('50')], [more]), { ...nothing, begin: [more], end: ['id 50'] })
  })
})
