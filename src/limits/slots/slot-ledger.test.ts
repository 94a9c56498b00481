import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { compare, Reference, SCOPES, take } from '../../../test/limits/ledger-reference.ts'
import { limits, step, USD } from '../../../test/limits/ledger-steps.ts'
import { type OpenLedger, openLedger } from '../../../test/limits/open-slots.ts'
import { fc } from '../../../test/property.ts'
import type { Limits } from '../../domain/limits.ts'
import { asPicodollars, exactUsd } from '../../domain/pricing/price.ts'
import type { Scope } from '../ledger.ts'
import { SlotBook } from './slot-book.ts'
import { SlotLedger } from './slot-ledger.ts'

/** As a serving thread has it: over slots that another thread has made. */
const openLearned: OpenLedger = (clock, logged) => {
  const book = new SlotBook()
  for (const scope of SCOPES) {
    const found = logged.find((entry) => entry.scope.kind === scope.kind && entry.scope.id === scope.id)
    book.ensure(scope, clock(), found)
  }
  const learned = new SlotBook(book.standby)
  learned.learn(book.since({ chunks: 0, slots: 0 }))
  return new SlotLedger(clock, learned)
}

for (const [who, open] of [
  ['the only thread', openLedger],
  ['one of several threads', openLearned],
] as const) {
  test(`${who}: in any order of events slots, refusals, warnings and allowances are those of a list of the calls`, () => {
    fc.assert(
      fc.property(
        fc.array(limits, { minLength: 5, maxLength: 5 }),
        fc.array(step(true), { maxLength: 60 }),
        (first, steps) => {
          const model = new Reference(open)
          for (const [place, scope] of SCOPES.entries())
            take(model, { do: 'limit', scope, limits: first[place] ?? null })
          for (const each of steps) {
            take(model, each)
            compare(model)
          }
        },
      ),
      { numRuns: 400 },
    )
  })
}

test('a hard budget is never exceeded, and no sixty seconds hold more than the limits admit', () => {
  fc.assert(
    fc.property(
      fc.array(limits, { minLength: 5, maxLength: 5 }),
      fc.array(step(false), { maxLength: 80 }),
      (first, steps) => {
        const model = new Reference()
        for (const [place, scope] of SCOPES.entries()) take(model, { do: 'limit', scope, limits: first[place] ?? null })
        for (const each of steps) {
          take(model, each)
          for (const scope of SCOPES) assertWithin(model, scope)
        }
      },
    ),
    { numRuns: 400 },
  )
})

function assertWithin(model: Reference, scope: Scope): void {
  const bound = model.limitsOf(scope)
  if (bound?.budget?.mode === 'hard') {
    const { spent, held } = model.ledger.look(scope).periods[bound.budget.per]
    assert.ok(
      spent + held <= BigInt(bound.budget.usd) * USD,
      `${exactUsd(asPicodollars(spent + held))} of ${bound.budget.usd}`,
    )
  }
  if (bound?.rpm === undefined) return
  for (const { at } of model.of(scope)) {
    const minute = model.of(scope).filter((call) => call.at >= at && call.at < at + 60_000)
    assert.ok(minute.length <= bound.rpm)
  }
}

test('on standby a call that a limit binds is not decided, and any other is admitted', () => {
  const book = new SlotBook()
  let unavailable = 0
  const ledger = new SlotLedger(
    () => 1_000,
    book,
    () => {
      unavailable += 1
    },
  )
  const admit = (limits: Limits | null) =>
    ledger.admit(
      { key: { id: 'a', limits }, workspace: { name: 'first', limits: null } },
      { picodollars: asPicodollars(5n), tokens: 7 },
      'call',
    ).kind
  Atomics.store(book.standby, 0, 1)
  assert.deepEqual([admit({ rpm: 9 }), admit(null), unavailable], ['unavailable', 'admitted', 1])
  Atomics.store(book.standby, 0, 0)
  assert.deepEqual([admit({ rpm: 9 }), unavailable], ['admitted', 1])
})

test('a slot that is filled anew forgets the calls that it held, and they forget it', () => {
  const book = new SlotBook()
  const [key, workspace] = [
    book.ensure({ kind: 'key', id: 'a' }, 1_000),
    book.ensure({ kind: 'workspace', id: 'first' }, 1_000),
  ]
  const ledger = new SlotLedger(() => 2_000, book)
  const payer = { key: { id: 'a', limits: null }, workspace: { name: 'first', limits: null } }
  const decision = ledger.admit(payer, { picodollars: asPicodollars(5n), tokens: 7 }, 'call')
  assert.ok(decision.kind === 'admitted')
  for (const slot of [key, workspace]) slot.fill(2_000, undefined)
  assert.equal(ledger.settle(decision.call, { picodollars: asPicodollars(3n), tokens: 1 }), true)
  const { inFlight, tokensLastMinute, periods } = ledger.look({ kind: 'key', id: 'a' })
  assert.deepEqual([inFlight, tokensLastMinute, periods.total.spent, periods.total.held], [0, 0, 0n, 0n])
})

test('more scopes than fit into a chunk', () => {
  const book = new SlotBook()
  for (let number = 0; number < 600; number++) book.ensure({ kind: 'key', id: `key-${number}` }, 0)
  const learned = new SlotBook()
  learned.learn(book.since({ chunks: 0, slots: 0 }))
  book.ensure({ kind: 'workspace', id: 'late' }, 0)
  learned.learn(book.since(learned.size))
  assert.deepEqual(learned.size, book.size)
  assert.equal(learned.find('workspace', 'late')?.number, 600)
})

const THREADS = 4
const CALLS = 50_000

test('four threads on few scopes lose nothing and never exceed a limit', { timeout: 300_000 }, async () => {
  const book = new SlotBook()
  const scopes = ['a', 'b', 'c'].map((id) => ({ kind: 'key' as const, id }))
  for (const scope of [...scopes, { kind: 'workspace' as const, id: 'first' }]) book.ensure(scope, Date.now())
  const workerData = { slots: book.since({ chunks: 0, slots: 0 }), calls: CALLS }
  const file = new URL('../../../test/limits/slot-thread.ts', import.meta.url)
  const ended = await Promise.all(
    Array.from({ length: THREADS }, (_, seed) => {
      const worker = new Worker(file, { workerData: { ...workerData, seed } })
      return new Promise<{ spent: bigint; tokens: number; admitted: number; refused: number; exceeded: string[] }>(
        (resolve, reject) => worker.once('message', resolve).once('error', reject),
      )
    }),
  )
  assert.deepEqual(
    ended.flatMap(({ exceeded }) => exceeded),
    [],
  )
  const ledger = new SlotLedger(Date.now, book)
  const spent = ended.reduce((sum, each) => sum + each.spent, 0n)
  const joint = ledger.look({ kind: 'workspace', id: 'first' })
  assert.deepEqual([joint.periods.total.spent, joint.periods.total.held, joint.inFlight], [spent, 0n, 0])
  const own = scopes.map((scope) => ledger.look(scope))
  assert.equal(
    own.reduce((sum, { periods }) => sum + periods.total.spent, 0n),
    spent,
  )
  const [admitted, refused] = [ended.map((each) => each.admitted), ended.map((each) => each.refused)]
  assert.ok(admitted.every((count) => count > 0) && refused.some((count) => count > 0), `${admitted} ${refused}`)
})
