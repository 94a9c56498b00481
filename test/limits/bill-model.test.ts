import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { UnconfirmedPolicy } from '../../src/domain/pricing/unconfirmed.ts'
import type { SpendLedger } from '../../src/limits/spend-ledger.ts'
import { beginLedger, connectTo, syncedLedgers } from '../counters.ts'
import { fc } from '../property.ts'
import { startValkey } from '../valkey.ts'
import { BillModel, type BillOptions, billLimits, billStep } from './bill-model.ts'
import { openLedger } from './open-slots.ts'

const server = await startValkey()
const connection = await connectTo(server.url)
after(async () => {
  await connection.close()
  await server.stop()
})

const SLOTS: Pick<BillOptions, 'open' | 'reopen'> = {
  open: async (clock) => [openLedger(clock, [])],
  reopen: (clock, logged) => [openLedger(clock, logged)],
}
const COUNTERS: Pick<BillOptions, 'open'> = {
  async open(clock): Promise<SpendLedger[]> {
    await beginLedger(connection)
    return (await syncedLedgers(connection, ['one', 'two', 'three'], clock)).map(({ ledger }) => ledger)
  },
}

/** Every step is followed by a look at every budget. */
function propertyOf(of: Pick<BillOptions, 'open' | 'reopen'>, policy: UnconfirmedPolicy, seen: BillModel['seen']) {
  return fc.asyncProperty(billLimits, fc.array(billStep, { minLength: 20, maxLength: 60 }), async (limits, steps) => {
    const model = new BillModel({ ...of, limits, policy })
    await model.begin()
    for (const step of steps) {
      await model.take(step)
      await model.check()
    }
    for (const [name, count] of Object.entries(model.seen)) seen[name as keyof typeof seen] += count
  })
}

for (const [name, of, numRuns] of [
  ['slots of a process', SLOTS, 400],
  ['shared counters', COUNTERS, 120],
] as const) {
  test(`${name}: spent + held + unconfirmed ≥ the bill and ≤ the limit, whatever happens in whatever order`, async () => {
    const seen = { refused: 0, fallen: 0, uncovered: 0, corrected: 0, covered: 0 }
    await fc.assert(propertyOf(of, 'bound', seen), { numRuns })
    // A run in which nothing happened proves nothing.
    for (const [what, count] of Object.entries(seen)) assert.ok(count > numRuns / 4, `${count} ${what}`)
  })

  test(`${name}: a policy that forgets what is unconfirmed is found out`, async () => {
    const seen = { refused: 0, fallen: 0, uncovered: 0, corrected: 0, covered: 0 }
    const { failed, errorInstance } = await fc.check(propertyOf(of, 'ignore', seen), { numRuns })
    assert.ok(
      failed && /spent or unconfirmed, .* billed/.test(String((errorInstance as Error).message)),
      `${errorInstance}`,
    )
  })
}
