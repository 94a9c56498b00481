import { CompiledQuery, type Kysely, sql, type Transaction } from 'kysely'
import { INTERRUPTED } from '../domain/errors.ts'
import type { CloseRecord, OpenRecord } from '../domain/request-record.ts'
import { closedRow, openRow, REQUEST_COLUMNS } from './request-row.ts'
import { createRollUp, type RollUp } from './rollup.ts'
import type { Database, NewRequestRow } from './schema.ts'
import { errorText } from './store-error.ts'

/** A row of the spool. */
export interface SpoolRow {
  seq: number
  kind: string
  payload: string
}

/** Somebody else moved this node's position: read it again before going on. */
export class PositionMoved extends Error {
  override readonly name = 'PositionMoved'
}

/** How far the node's spool has been folded. */
export async function readPosition(db: Kysely<Database>, node: string): Promise<number> {
  await db
    .insertInto('spool_positions')
    .values({ node, seq: 0 })
    .onConflict((conflict) => conflict.column('node').doNothing())
    .execute()
  const row = await db.selectFrom('spool_positions').select('seq').where('node', '=', node).executeTakeFirstOrThrow()
  return row.seq
}

export interface Folder {
  /**
   * Moves rows of the spool into the request table and its sums, exactly once: the position moves in the same
   * transaction and only from where the caller thinks it is, so neither a crash nor a lost commit can apply a batch twice.
   * Returns the new position.
   */
  fold(after: number, rows: readonly SpoolRow[]): Promise<number>
}

export function createFolder(db: Kysely<Database>, node: string): Folder {
  const texts: InsertTexts = new Map()
  const rollUp = createRollUp()
  return {
    async fold(after, rows) {
      const last = rows.at(-1)
      if (last === undefined) return after
      const batch = mergeRows(rows, node)
      await db.transaction().execute(async (transaction) => {
        const moved = await transaction
          .updateTable('spool_positions')
          .set({ seq: last.seq })
          .where('node', '=', node)
          .where('seq', '=', after)
          .executeTakeFirst()
        if (moved.numUpdatedRows !== 1n) throw new PositionMoved(`the spool position of ${node} is no longer ${after}`)
        await writeRows(transaction, texts, batch.opened, 'open')
        await rolledUp(transaction, rollUp, batch.closed, () => writeRows(transaction, texts, batch.closed, 'closed'))
        if (batch.rejected.length > 0) await transaction.insertInto('spool_rejects').values(batch.rejected).execute()
      })
      return last.seq
    },
  }
}

/** Each request counts once, when it is closed; one that was given up as interrupted is counted anew by its true end. */
async function rolledUp(
  db: Transaction<Database>,
  rollUp: RollUp,
  closed: readonly NewRequestRow[],
  write: () => Promise<void>,
): Promise<void> {
  const ids = closed.map((row) => row.id)
  const oldest = Math.min(...closed.map((row) => row.started_at))
  const known = await rollUp.closedAmong(db, ids)
  const interrupted = known.filter((row) => row.code === INTERRUPTED.code).map((row) => row.id)
  const final = new Set(known.filter((row) => row.code !== INTERRUPTED.code).map((row) => row.id))
  await rollUp.add(db, interrupted, -1, oldest)
  await write()
  const counted = final.size === 0 ? ids : ids.filter((id) => !final.has(id))
  await rollUp.add(db, counted, 1, oldest)
}

type Rejected = { node: string; seq: number; kind: string; payload: string; error: string }

/** A call opened and closed within one batch is written once. */
function mergeRows(rows: readonly SpoolRow[], node: string) {
  const opened = new Map<string, NewRequestRow>()
  const closed = new Map<string, NewRequestRow>()
  const rejected: Rejected[] = []
  for (const row of rows) {
    try {
      const record: unknown = JSON.parse(row.payload)
      if (row.kind === 'close') {
        const request = complete(closedRow(record as CloseRecord, node))
        if (!closed.has(request.id)) closed.set(request.id, request)
      } else {
        const request = complete(openRow(record as OpenRecord, node))
        opened.set(request.id, request)
      }
    } catch (error) {
      rejected.push({ node, ...row, error: errorText(error) })
    }
  }
  for (const id of closed.keys()) opened.delete(id)
  return { opened: [...opened.values()], closed: [...closed.values()], rejected }
}

const LARGEST_INTEGER = 2n ** 63n - 1n

function complete(row: NewRequestRow): NewRequestRow {
  for (const column of REQUEST_COLUMNS) {
    if (row[column] === undefined) throw new TypeError(`the record has no ${column}`)
  }
  const { cost_picodollars: cost } = row
  if (typeof cost === 'bigint' && cost > LARGEST_INTEGER) throw new RangeError('the cost exceeds 64 bits')
  return row
}

/** Few statement sizes, so that each is compiled once: building the SQL anew would cost more than running it. */
const GROUP_SIZES = [64, 8, 1] as const
type InsertTexts = Map<string, string>

async function writeRows(
  db: Transaction<Database>,
  texts: InsertTexts,
  rows: readonly NewRequestRow[],
  state: 'open' | 'closed',
): Promise<void> {
  let start = 0
  for (const size of GROUP_SIZES) {
    for (; rows.length - start >= size; start += size) {
      const parameters: unknown[] = []
      for (const row of rows.slice(start, start + size)) {
        for (const column of REQUEST_COLUMNS) parameters.push(row[column])
      }
      const name = `${state} ${size}`
      const text = texts.get(name) ?? insertText(db, size, state)
      texts.set(name, text)
      await db.executeQuery(CompiledQuery.raw(text, parameters))
    }
  }
}

function insertText(db: Transaction<Database>, size: number, state: 'open' | 'closed'): string {
  const columns = sql.join(REQUEST_COLUMNS.map((column) => sql.ref(column)))
  // The values only mark the places: parameters are handed over with each run.
  const row = sql`(${sql.join(REQUEST_COLUMNS.map(() => sql`${null}`))})`
  const updates = sql.join(
    REQUEST_COLUMNS.filter((column) => column !== 'id').map(
      (column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`,
    ),
  )
  // A closed row never changes, but for one that was given up as interrupted and whose end arrives after all.
  const conflict =
    state === 'open'
      ? sql`do nothing`
      : sql`do update set ${updates} where requests.state = 'open' or requests.code = ${sql.lit(INTERRUPTED.code)}`
  const rows = sql.join(Array.from({ length: size }, () => row))
  return sql`insert into requests (${columns}) values ${rows} on conflict (id) ${conflict}`.compile(db).sql
}

/**
 * Calls whose process died. `node` null means every node: right where only one process can have the database.
 * Called after the spool has been folded and before new calls are taken.
 */
export async function closeInterrupted(db: Kysely<Database>, node: string | null, now: number): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    let update = transaction
      .updateTable('requests')
      .set({ state: 'closed', status: INTERRUPTED.status, code: INTERRUPTED.code, finished_at: now })
      // A literal, not a parameter: only so is the partial index of open rows used.
      .where('state', '=', sql.lit('open'))
      .returning('id')
    if (node !== null) update = update.where('node', '=', node)
    const ids = (await update.execute()).map((row) => row.id)
    await createRollUp().add(transaction, ids, 1, 0)
    return ids.length
  })
}
