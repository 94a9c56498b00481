import type { Kysely } from 'kysely'
import type { Database, FeedBatchRow, RequestRow } from '../../store/engine/schema.ts'

/** So many rows of a batch have been read. */
export interface FeedPosition {
  batch: number
  rows: number
}

export const FEED_START: FeedPosition = { batch: 0, rows: 0 }

export interface FedRow {
  row: RequestRow
  /** After this row. */
  position: FeedPosition
}

const STEP_ROWS = 200

/** Null, or why nothing can be read from there. */
export async function feedProblem(db: Kysely<Database>, { batch }: FeedPosition): Promise<'expired' | 'ahead' | null> {
  if (batch === 0) return null
  const { newest } = await db
    .selectFrom('feed')
    .select((select) => select.fn.max('position').as('newest'))
    .executeTakeFirstOrThrow()
  if (batch > Number(newest ?? 0)) return 'ahead'
  const there = await db.selectFrom('feed').select('position').where('position', '=', batch).executeTakeFirst()
  return there === undefined ? 'expired' : null
}

/** Closed calls in the order in which the log got them, at most `limit`. Rows that retention has deleted are left out. */
export async function* readFeed(db: Kysely<Database>, after: FeedPosition, limit: number): AsyncGenerator<FedRow[]> {
  let left = limit
  let { batch: position, rows: done } = after
  for (;;) {
    const batch = await db
      .selectFrom('feed')
      .selectAll()
      .where('position', '>=', position)
      .orderBy('position')
      .limit(1)
      .executeTakeFirst()
    if (batch === undefined) return
    const ids = batch.ids.split('\n')
    for (let from = batch.position === position ? done : 0; from < ids.length; from += STEP_ROWS) {
      const wanted = ids.slice(from, from + Math.min(STEP_ROWS, left))
      const rows = await rowsOf(db, batch, wanted)
      left -= wanted.length
      yield wanted.flatMap((id, index) => {
        const row = rows.get(id)
        return row === undefined ? [] : [{ row, position: { batch: batch.position, rows: from + index + 1 } }]
      })
      if (left === 0) return
    }
    position = batch.position + 1
    done = 0
  }
}

async function rowsOf(
  db: Kysely<Database>,
  { first_start: first, last_start: last }: FeedBatchRow,
  ids: readonly string[],
): Promise<Map<string, RequestRow>> {
  const rows = await db
    .selectFrom('requests')
    .selectAll()
    .where('id', 'in', ids)
    // Names the partitions to look into.
    .where('started_at', '>=', first)
    .where('started_at', '<=', last)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The newest batch stays: positions never begin again. */
export async function expireFeed(db: Kysely<Database>, before: number): Promise<void> {
  await db
    .deleteFrom('feed')
    .where('last_start', '<', before)
    .where('position', '<', (select) =>
      select.selectFrom('feed').select((newest) => newest.fn.max('position').as('newest')),
    )
    .execute()
}
