import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Limits } from '../../src/domain/limits.ts'
import { asPicodollars, exactUsd } from '../../src/domain/pricing/price.ts'
import { type ChainHold, type FittedLimits, fittedLimits } from '../../src/limits/chain-hold.ts'
import { type Asked, fitIn } from '../../src/limits/fit-in.ts'
import type { HoldTerms } from '../../src/limits/hold.ts'
import { moneyOf } from '../../src/limits/hold.ts'
import type { Payer, SpendLedger } from '../../src/limits/spend-ledger.ts'
import { beginLedger, connectTo, syncedLedgers } from '../counters.ts'
import { fc } from '../property.ts'
import { startValkey } from '../valkey.ts'
import { openLedger } from './open-slots.ts'

const server = await startValkey()
const connection = await connectTo(server.url)
after(async () => {
  await connection.close()
  await server.stop()
})

/** What a call could cost at an entry of its chain: price of the prompt, price and most of an answer. */
interface Entry {
  prompt: bigint
  perToken: bigint
  most: number
  answers: number
}
const entry: fc.Arbitrary<Entry> = fc.record({
  prompt: fc.bigInt({ min: 0n, max: 300n }),
  perToken: fc.bigInt({ min: 0n, max: 40n }),
  most: fc.integer({ min: 1, max: 200 }),
  answers: fc.integer({ min: 1, max: 3 }),
})

function termsOf({ prompt, perToken, most, answers }: Entry, limit = most): HoldTerms {
  const outputTokens = Math.min(most, limit) * answers
  return { promptTokens: 1, outputTokens, answers, prices: { prompt, perOutputToken: perToken } }
}

function holdOf(chain: readonly Entry[], fitted: FittedLimits): ChainHold {
  const terms = chain.map((each, position) => ({
    entry: {
      provider: 'p',
      model: 'm',
      timeoutMs: 1,
      idleTimeoutMs: null,
      retries: 0,
      maxOutputTokens: null,
      hedgeAfterMs: null,
      defaults: null,
    },
    position,
    terms: termsOf(each, fitted.get(position)),
  }))
  const dearest = terms.map((each) => moneyOf(each.terms) ?? 0n).reduce((a, b) => (a > b ? a : b), 0n)
  return { picodollars: asPicodollars(dearest), tokens: 1, terms }
}

test('a fitted limit is the largest that fits, and there is none below the floor', () => {
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 3 }),
      fc.bigInt({ min: -100n, max: 9_000n }),
      fc.integer({ min: 1, max: 60 }),
      (chain, money, floor) => {
        const fitted = fittedLimits(holdOf(chain, new Map()), money, floor)
        for (const [position, each] of chain.entries()) {
          const costs = (limit: number) => moneyOf(termsOf(each, limit)) ?? 0n
          const limit = fitted?.get(position)
          if (limit !== undefined) {
            assert.ok(limit >= floor && limit < each.most)
            assert.ok(costs(limit) <= money && costs(limit + 1) > money)
          } else if (fitted !== null) assert.ok(costs(each.most) <= money)
        }
        if (fitted !== null) return
        assert.ok(
          chain.some((each) => {
            const worst = moneyOf(termsOf(each)) ?? 0n
            return worst > money && (moneyOf(termsOf(each, Math.min(floor, each.most))) ?? 0n) > money
          }) || chain.some((each) => each.most < floor && (moneyOf(termsOf(each)) ?? 0n) > money),
        )
      },
    ),
    { numRuns: 3_000 },
  )
})

test('an entry that still fits keeps its limit when another must be fitted once more', async () => {
  const chain = [
    { prompt: 0n, perToken: 1n, most: 1_000, answers: 1 },
    { prompt: 0n, perToken: 100n, most: 1_000, answers: 1 },
  ]
  const ledger = openLedger(Date.now, [])
  const limits = limitsOf({ usd: 150n, when_tight: 'fit', fit_at_least: 1 })
  const payer = { key: { id: 'a', limits }, workspace: { name: 'first', limits: null } }
  const asked: FittedLimits[] = []
  const ask = (fitted: FittedLimits): Asked => {
    asked.push(fitted)
    // Between the first two questions another call takes some of the room.
    if (asked.length === 2) ledger.admit(payer, { picodollars: asPicodollars(30n), tokens: 1 }, 'other')
    const hold = holdOf(chain, fitted)
    return { hold, decision: ledger.admit(payer, hold, 'call') }
  }
  const { decision } = await fitIn(ask(new Map()), ask)
  assert.equal(decision.kind, 'admitted')
  assert.deepEqual(
    asked.map((fitted) => [fitted.get(0), fitted.get(1)]),
    [
      [undefined, undefined],
      [150, 1],
      [120, 1],
    ],
  )
})

interface Call {
  chain: Entry[]
  /** Of its hold, in the end. */
  percent: number
  node: number
}
const call: fc.Arbitrary<Call> = fc.record({
  chain: fc.array(entry, { minLength: 1, maxLength: 3 }),
  percent: fc.nat({ max: 100 }),
  node: fc.nat({ max: 1 }),
})
const budget = fc.record({
  usd: fc.bigInt({ min: 1n, max: 9_000n }),
  when_tight: fc.constantFrom('fit' as const, 'fit' as const, 'refuse' as const),
  fit_at_least: fc.integer({ min: 1, max: 30 }),
})

function limitsOf(set: { usd: bigint; when_tight: 'fit' | 'refuse'; fit_at_least: number } | null): Limits | null {
  return set && { budget: { ...set, usd: exactUsd(asPicodollars(set.usd)), per: 'total', mode: 'hard' } }
}

/** Every call asks, is fitted, runs and is settled, all of them side by side in the order that `turn` makes. */
async function playCalls(
  calls: readonly Call[],
  payer: Payer,
  nodes: readonly SpendLedger[],
  turn: () => Promise<unknown>,
): Promise<number> {
  const [ledger] = nodes
  assert.ok(ledger)
  const look = async () => {
    const statuses = await ledger.status([
      { kind: 'key', id: payer.key.id },
      { kind: 'workspace', id: payer.workspace.name },
    ])
    for (const [place, limits] of [payer.key.limits, payer.workspace.limits].entries()) {
      const { spent = 0n, held = 0n } = statuses[place]?.periods.total ?? {}
      const limit = BigInt((Number(limits?.budget?.usd ?? '1') * 1e12).toFixed(0))
      assert.ok(limits === null || spent + held <= limit, `${spent} + ${held} of ${limit}`)
    }
  }
  let admitted = 0
  await Promise.all(
    calls.map(async ({ chain, percent, node }, index) => {
      const own = nodes[node % nodes.length] ?? ledger
      const ask = async (fitted: FittedLimits): Promise<Asked> => {
        await turn()
        const hold = holdOf(chain, fitted)
        return { hold, decision: await own.admit(payer, hold, `call-${index}`) }
      }
      const { hold, decision } = await fitIn(await ask(new Map()), ask)
      await look()
      if (decision.kind !== 'admitted') return
      admitted++
      own.opened(decision.call, index + 1)
      await turn()
      const cost = ((hold.picodollars ?? 0n) * BigInt(percent)) / 100n
      await own.settle(decision.call, { picodollars: asPicodollars(cost), tokens: 1 }, index + 1)
      await look()
    }),
  )
  return admitted
}

describe('whatever runs side by side, spent and held are never more than a hard budget', () => {
  test('in memory', async () => {
    let admitted = 0
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.option(budget),
        fc.option(budget),
        fc.array(call, { minLength: 1, maxLength: 10 }),
        async (scheduler, own, joint, calls) => {
          const ledger = openLedger(Date.now, [])
          const payer = {
            key: { id: 'a', limits: limitsOf(own) },
            workspace: { name: 'first', limits: limitsOf(joint) },
          }
          const playing = playCalls(calls, payer, [ledger], () => scheduler.schedule(Promise.resolve()))
          await scheduler.waitFor(playing)
          admitted += await playing
        },
      ),
      { numRuns: 500 },
    )
    assert.ok(admitted > 500)
  })

  test('in shared counters, asked by two nodes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.option(budget),
        budget,
        fc.array(call, { minLength: 2, maxLength: 8 }),
        async (own, joint, calls) => {
          await beginLedger(connection)
          const nodes = (await syncedLedgers(connection, ['one', 'two'], Date.now)).map(({ ledger }) => ledger)
          const payer = {
            key: { id: 'a', limits: limitsOf(own) },
            workspace: { name: 'first', limits: limitsOf(joint) },
          }
          await playCalls(calls, payer, nodes, async () => undefined)
        },
      ),
      { numRuns: 100 },
    )
  })

  test('500 calls of two nodes at once against a small budget in shared counters', async () => {
    await beginLedger(connection)
    const nodes = (await syncedLedgers(connection, ['one', 'two'], Date.now)).map(({ ledger }) => ledger)
    const limits = limitsOf({ usd: 5_000n, when_tight: 'fit', fit_at_least: 5 })
    const payer = { key: { id: 'a', limits }, workspace: { name: 'first', limits: null } }
    const chain = [{ prompt: 10n, perToken: 30n, most: 1_000, answers: 1 }]
    const calls = Array.from({ length: 500 }, (_, node) => ({ chain, percent: 1, node }))
    const admitted = await playCalls(calls, payer, nodes, async () => undefined)
    assert.ok(admitted > 0 && admitted < 500)
  })
})
