import { describe, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { atLength } from '../../../test/at-length.ts'
import { type AnyCall, anyCall } from '../../../test/calls/any-call.ts'
import { until } from '../../../test/harness.ts'
import { fc } from '../../../test/property.ts'
import { assertSumsEqualRows } from '../../../test/store/sums-of-rows.ts'
import { closeRecord, ENGINES, type EngineName, testStores } from '../../../test/test-store.ts'
import type { Database } from '../../store/engine/schema.ts'
import { createFold } from '../fold/fold.ts'
import { readPosition } from '../fold/position.ts'
import { createUsageAdditions } from '../fold/usage-additions.ts'
import { ensurePartitions } from '../retention/partitions.ts'
import { closedRow, REQUEST_COLUMNS } from '../row.ts'
import { closeLine, readClose } from '../spool/record-lines.ts'
import { advanceDays } from './days.ts'
import { readDaysUntil } from './rollup.ts'

const stores = await testStores()
let runs = 0

/** The store's own worker brings the days to the present when it starts, and looks again only after a minute. */
async function openSettled(engine: EngineName): Promise<Kysely<Database>> {
  const { db } = await stores.openNew(engine)
  await until(async () => (await readDaysUntil(db)) > 0, 'the worker has looked')
  return db
}

async function startAnew(db: Kysely<Database>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const table of ['usage_hours', 'usage_days', 'usage_units', 'requests'] as const)
      await transaction.deleteFrom(table).execute()
    await transaction.updateTable('settings').set({ value: '0' }).where('name', '=', 'usage_days_until').execute()
  })
}

/** Logs the calls as their own node. */
async function logRound(
  db: Kysely<Database>,
  node: string,
  workspace: string,
  calls: readonly AnyCall[],
): Promise<void> {
  const after = await readPosition(db, node)
  const rows = calls.map((call, index) => ({
    seq: after + index + 1,
    payload: closeLine(closeRecord(`${node}-${index}`, { ...call, workspace })),
  }))
  await createFold(db, node).fold(after, rows)
}

for (const engine of ENGINES) {
  describe(`daily sums on ${engine}`, () => {
    test('property: days follow the hours, however far they are, and late calls are in both', async () => {
      const db = await openSettled(engine)
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ calls: fc.array(anyCall, { maxLength: 8 }), now: fc.nat(300_000_000) }), {
            maxLength: 6,
          }),
          async (rounds) => {
            await startAnew(db)
            for (const [round, { calls, now }] of rounds.entries()) {
              for (const workspace of ['one', 'two'])
                await logRound(db, `${workspace}-${++runs}-${round}`, workspace, calls)
              while (await advanceDays(db, engine, now));
              for (const workspace of ['one', 'two']) await assertSumsEqualRows(db, workspace)
            }
          },
        ),
        { numRuns: atLength(10, 25) },
      )
    })

    test('days that advance while nodes fold lose nothing', async () => {
      const db = await openSettled(engine)
      await startAnew(db)
      const hours = Array.from({ length: 40 }, (_, hour) => hour * 3_600_000)
      const folding = Array.from({ length: 3 }, async (_, node) => {
        for (const hour of hours) {
          const calls = [{ startedAt: hour + 5 }, { startedAt: Math.max(0, hour - 7_200_000) }]
          await logRound(db, `race-${node}-${hour}`, 'race', calls)
        }
      })
      const advancing = Array.from({ length: 2 }, async () => {
        for (const hour of hours) await advanceDays(db, engine, hour)
      })
      await Promise.all([...folding, ...advancing])
      await assertSumsEqualRows(db, 'race')
      while (await advanceDays(db, engine, 100 * 3_600_000));
      await assertSumsEqualRows(db, 'race')
    })
  })
}

test('on PostgreSQL days wait for a fold that has looked how far they are and is not done', async () => {
  const db = await openSettled('postgres')
  await startAnew(db)
  const record = closeRecord('slow-1', { workspace: 'slow', startedAt: 5 })
  const row = closedRow(readClose(closeLine(record)), 'slow')
  await ensurePartitions(db, [row.started_at])
  await sql`insert into requests (${sql.join(REQUEST_COLUMNS.map((column) => sql.ref(column)))})
    values (${sql.join(row.values)})`.execute(db)
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const { promise: looked, resolve: look } = Promise.withResolvers<void>()
  const folding = db.transaction().execute(async (transaction) => {
    await createUsageAdditions().add(transaction, [row])
    look()
    await mayEnd
  })
  await looked
  const advancing = advanceDays(db, 'postgres', 86_400_000)
  const isWaiting = async () =>
    (await sql<{ waiting: number }>`select count(*) as waiting from pg_locks where not granted`.execute(db)).rows[0]
      ?.waiting
  try {
    await until(async () => Number(await isWaiting()) > 0, 'the days wait')
  } finally {
    end()
    await Promise.all([folding, advancing])
  }
  await assertSumsEqualRows(db, 'slow')
})
