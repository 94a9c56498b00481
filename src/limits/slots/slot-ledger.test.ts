import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { compare, Reference, SCOPES, type Step, take } from '../../../test/limits/ledger-reference.ts'
import { limits, step } from '../../../test/limits/ledger-steps.ts'
import { fc } from '../../../test/property.ts'
import type { Limits } from '../../domain/limits.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import type { HeldCall } from '../admission.ts'
import type { LoggedScope } from '../ledger.ts'
import { createSpendLedger } from '../memory-ledger.ts'
import { headerOf, newHeader, SlotBook } from './slot-book.ts'
import { SlotLedger } from './slot-ledger.ts'

/** As a serving thread has it: over slots that another thread has made. */
function openSlots(clock: () => number, logged: readonly LoggedScope[]): SlotLedger {
  const memory = newHeader()
  const book = new SlotBook()
  for (const scope of SCOPES) {
    const found = logged.find((entry) => entry.scope.kind === scope.kind && entry.scope.id === scope.id)
    book.ensure(scope, clock(), found)
  }
  const learned = new SlotBook()
  learned.learn(book.since({ chunks: 0, slots: 0 }))
  return new SlotLedger(clock, headerOf(memory), learned)
}

test('in any order of events the slots equal the sum of their calls', () => {
  fc.assert(
    fc.property(
      fc.array(limits, { minLength: 5, maxLength: 5 }),
      fc.array(step(true), { maxLength: 60 }),
      (first, steps) => {
        const model = new Reference(openSlots)
        for (const [place, scope] of SCOPES.entries()) take(model, { do: 'limit', scope, limits: first[place] ?? null })
        for (const each of steps) {
          take(model, each)
          compare(model)
        }
      },
    ),
    { numRuns: 400 },
  )
})

test('decisions, refusals, warnings and allowances are those of the ledger of one thread, word for word', () => {
  fc.assert(
    fc.property(
      fc.array(limits, { minLength: 2, maxLength: 2 }),
      fc.array(step(false), { maxLength: 60 }),
      ([own = {}, joint = {}], steps) => assertSame(own, joint, steps),
    ),
    { numRuns: 400 },
  )
})

function assertSame(own: Limits, joint: Limits, steps: readonly Step[]): void {
  let at = Date.UTC(2026, 1, 26, 23, 58, 30)
  const ledgers = [createSpendLedger(() => at, []), openSlots(() => at, [])]
  const payer = { key: { id: 'a', limits: own }, workspace: { name: 'first', limits: joint } }
  const calls: HeldCall[][] = []
  for (const each of steps) {
    if (each.do === 'pass') at += each.ms
    if (each.do === 'admit') {
      const hold = { picodollars: each.hold === null ? null : asPicodollars(each.hold), tokens: each.tokens }
      const decisions = ledgers.map((ledger) => ledger.admit(payer, hold, 'call'))
      const [said, slots] = decisions.map((decision) => ({ ...decision, call: null }))
      assert.deepEqual(slots, said)
      calls.push(decisions.flatMap((decision) => (decision.kind === 'admitted' ? [decision.call] : [])))
    }
    if (each.do === 'settle' || each.do === 'release') {
      const held = calls[each.index % Math.max(1, calls.length)] ?? []
      const ended = held.map((call, place) => {
        const ledger = ledgers[place]
        if (each.do === 'release') return ledger?.release(call)
        return ledger?.settle(call, { picodollars: asPicodollars(BigInt(each.percent)), tokens: each.usedPercent })
      })
      assert.equal(ended[1], ended[0])
    }
    const [said, slots] = ledgers.map((ledger) => [
      ledger.allowance(payer),
      ...SCOPES.map((scope) => ledger.look(scope)),
    ])
    assert.deepEqual(slots, said)
  }
}

test('a slot that is filled anew forgets the calls that it held, and they forget it', () => {
  const book = new SlotBook()
  const [key, workspace] = [
    book.ensure({ kind: 'key', id: 'a' }, 1_000),
    book.ensure({ kind: 'workspace', id: 'first' }, 1_000),
  ]
  const ledger = new SlotLedger(() => 2_000, headerOf(newHeader()), book)
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
  assert.equal(learned.find({ kind: 'workspace', id: 'late' })?.number, 600)
})

const THREADS = 4
const CALLS = 50_000

test('four threads on few scopes lose nothing and never exceed a limit', { timeout: 300_000 }, async () => {
  const book = new SlotBook()
  const scopes = ['a', 'b', 'c'].map((id) => ({ kind: 'key' as const, id }))
  for (const scope of [...scopes, { kind: 'workspace' as const, id: 'first' }]) book.ensure(scope, Date.now())
  const memory = newHeader()
  const workerData = { memory, slots: book.since({ chunks: 0, slots: 0 }), calls: CALLS }
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
  const ledger = new SlotLedger(Date.now, headerOf(memory), book)
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
