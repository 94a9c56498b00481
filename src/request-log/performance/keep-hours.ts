import type { Kysely } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { DAY_MS, HOUR_MS } from '../usage/rollup.ts'
import { hourOf } from '../usage/sum-rows.ts'
import { readAttemptTallies } from './attempt-tallies.ts'
import { readCallTallies } from './call-tallies.ts'
import { type CountedHour, chunksOf, countedHours, type Kind, type Part, placeOf, rangeOf } from './hour-memory.ts'

/** As far back as a question may go. */
const LONGEST_MS = 31 * DAY_MS
const READERS = { calls: readCallTallies, attempts: readAttemptTallies }

/**
 * Works out what the hours up to the last but one came to, a day of them at most. An hour that changes later, because
 * a call ran for so long, is read from its rows (hour-memory.ts). False when there is nothing left to do.
 */
export async function keepHours(db: Kysely<Database>, now: number, pause: () => Promise<void>): Promise<boolean> {
  const end = hourOf(now) - HOUR_MS
  const until = await readUntil(db)
  const from = Math.max(until, end - LONGEST_MS)
  if (from >= end) return false
  const to = Math.min(end, from + DAY_MS)
  for (const hours of chunksOf(await countedHours(db, { workspaces: null, from, to }))) {
    const span = { ...rangeOf(hours), stepMs: HOUR_MS }
    for (const [kind, read] of Object.entries(READERS)) {
      await store(db, kind as Kind, hours, await read(db, span))
      await pause()
    }
  }
  const moved = await db
    .updateTable('settings')
    .set({ value: String(to) })
    .where('name', '=', 'performance_until')
    .where('value', '=', String(until))
    .executeTakeFirst()
  // Another node may have been faster.
  return moved.numUpdatedRows === 1n && to < end
}

async function store(
  db: Kysely<Database>,
  kind: Kind,
  hours: readonly CountedHour[],
  parts: readonly Part[],
): Promise<void> {
  const byPlace = Map.groupBy(parts, ({ workspace, start }) => placeOf({ workspace, hour: start }))
  for (const counted of hours) {
    const { workspace, hour, state } = counted
    const known = { state, parts: JSON.stringify(byPlace.get(placeOf(counted)) ?? []) }
    await db
      .insertInto('performance_hours')
      .values({ workspace, hour, kind, ...known })
      .onConflict((conflict) => conflict.columns(['workspace', 'hour', 'kind']).doUpdateSet(known))
      .execute()
  }
}

async function readUntil(db: Kysely<Database>): Promise<number> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', 'performance_until').executeTakeFirst()
  return Number(row?.value ?? 0)
}

/** Of rows that retention has deleted. */
export async function forgetHours(db: Kysely<Database>, before: number): Promise<void> {
  await db.deleteFrom('performance_hours').where('hour', '<', hourOf(before)).execute()
}
