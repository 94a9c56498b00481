import { type Kysely, sql, type Transaction } from 'kysely'
import { INTERRUPTED } from '../../domain/errors.ts'
import { RowsStatement } from '../../store/engine/rows-statement.ts'
import type { Database } from '../../store/engine/schema.ts'
import { callIdentity, isPartitioned, KnownPartitions } from '../retention/partitions.ts'
import { COMMIT_COLUMNS, type FullRow, INDEXED_COLUMNS, REQUEST_COLUMNS } from '../row.ts'
import { openSince } from '../search/windows.ts'
import type { SpoolRow } from '../spool/record-lines.ts'
import { HOUR_MS } from '../usage/rollup.ts'
import { type Batch, type Merged, mergeRows } from './fold-batch.ts'
import { HAS_MARK, interruption } from './interruption.ts'
import { createUsageAdditions, type UsageAdditions } from './usage-additions.ts'

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

export interface RequestFold {
  /**
   * Moves rows of the spool into the request table and its sums, exactly once: the position moves in the same
   * transaction and only from where the caller thinks it is, so neither a crash nor a lost commit can apply a batch twice.
   * Returns the new position.
   */
  fold(after: number, rows: readonly SpoolRow[]): Promise<number>
}

export function createFold(db: Kysely<Database>, node: string, pause = () => {}): RequestFold {
  const tables = { ...requestStatements(db), additions: createUsageAdditions() }
  const partitions = new KnownPartitions(db)
  return {
    async fold(after, rows) {
      const last = rows.at(-1)
      if (last === undefined) return after
      const batch = mergeRows(rows, node, pause)
      await partitions.ensure([...batch.opened, ...batch.closed].map(({ row }) => row.started_at))
      const apply = (writeClosed: typeof writeFirstEnds) =>
        db.transaction().execute(async (transaction) => {
          await movePosition(transaction, node, after, last.seq)
          const filledIn = await mergeLateRecords(transaction, node, batch)
          await tables.opened.run(transaction, batch.opened.map(valuesOf))
          await tables.commits.run(transaction, batch.commits)
          await writeClosed(transaction, tables, batch.closed, filledIn)
          if (batch.rejected.length > 0) await transaction.insertInto('spool_rejects').values(batch.rejected).execute()
        })
      try {
        await apply(writeFirstEnds)
      } catch (error) {
        partitions.forget()
        if (!(error instanceof EndedBefore)) throw error
        await apply(writeAnyEnds)
      }
      return last.seq
    },
  }
}

async function movePosition(db: Transaction<Database>, node: string, after: number, to: number): Promise<void> {
  const moved = await db
    .updateTable('spool_positions')
    .set({ seq: to })
    .where('node', '=', node)
    .where('seq', '=', after)
    .executeTakeFirst()
  if (moved.numUpdatedRows !== 1n) throw new PositionMoved(`the spool position of ${node} is no longer ${after}`)
}

/** Whoever closes calls of this node by their holds waits for its fold, and its fold for them. */
export async function lockSpool(db: Transaction<Database>, node: string): Promise<void> {
  if (!isPartitioned(db)) return
  await db.selectFrom('spool_positions').select('node').where('node', '=', node).forUpdate().execute()
}

/** A row that was written without knowing what the call was, and the same with it. */
interface FilledIn {
  before: FullRow
  after: FullRow
}

/**
 * Calls of this node that others have given up before the log had heard of them have a row with the time of their hold,
 * which a node that never got the answer of the counters does not know: their records take that time, so that a call
 * has one row. What the call was is filled in by the first record that does not replace the row. SQLite tells rows by
 * their id alone, and has no other nodes.
 */
async function mergeLateRecords(db: Transaction<Database>, node: string, batch: Batch): Promise<FilledIn[]> {
  const requests = [...batch.opened, ...batch.closed]
  if (!isPartitioned(db) || requests.length === 0) return []
  const times = requests.map(({ row }) => row.started_at)
  const givenUp = await db
    .selectFrom('requests')
    .selectAll()
    .where('node', '=', node)
    .where('started_at', '>=', Math.min(...times) - HOUR_MS)
    .where('started_at', '<=', Math.max(...times) + HOUR_MS)
    // A literal, not a parameter: only so is the partial index of these rows used.
    .where('code', '=', sql.lit(INTERRUPTED.code))
    .where(sql<boolean>`id = any(${requests.map(({ row }) => row.id)})`)
    .execute()
  if (givenUp.length === 0) return []
  const rows = new Map<string, FullRow>(givenUp.map((row) => [row.id, row]))
  for (const request of requests) {
    request.row.started_at = rows.get(request.row.id)?.started_at ?? request.row.started_at
  }
  return fillIn(db, rows, [...batch.opened, ...batch.closed.filter(({ answersAfterBooking }) => answersAfterBooking)])
}

/** What a hold does not say of a call. */
const UNHELD = [
  ...(['route', 'endpoint', 'requested_model', 'idempotency_key', 'body_hash'] as const),
  ...(['end_user', 'session', 'tags'] as const),
]

function unheldOf(row: FullRow): Pick<FullRow, (typeof UNHELD)[number]> {
  return Object.fromEntries(UNHELD.map((column) => [column, row[column]])) as ReturnType<typeof unheldOf>
}

async function fillIn(
  db: Transaction<Database>,
  rows: ReadonlyMap<string, FullRow>,
  records: readonly Merged[],
): Promise<FilledIn[]> {
  const filledIn = records.flatMap(({ row }) => {
    const before = rows.get(row.id)
    return before === undefined || before.requested_model !== null
      ? []
      : [{ before, after: { ...before, ...unheldOf(row) } }]
  })
  for (const { after } of filledIn) {
    await db
      .updateTable('requests')
      .set(unheldOf(after))
      .where('id', '=', after.id)
      .where('started_at', '=', after.started_at)
      .execute()
  }
  return filledIn
}

type Tables = ReturnType<typeof requestStatements> & { additions: UsageAdditions }

/** Some of the calls of a batch had an end in the log before. */
class EndedBefore extends Error {}

/**
 * What nearly every batch is: no call of it has ended before, so all of them count. That this is so is seen by the
 * number of rows written, which costs nothing, and only if it is not, they are looked up.
 */
async function writeFirstEnds(
  db: Transaction<Database>,
  tables: Tables,
  closed: readonly Merged[],
  filledIn: readonly FilledIn[],
): Promise<void> {
  const written = await tables.firstEnds.run(db, closed.map(valuesOf))
  if (written < closed.length) throw new EndedBefore('a call of this batch is closed')
  await tables.additions.add(
    db,
    [...closed.map(({ row }) => row), ...filledIn.map(({ after }) => after)],
    filledIn.map(({ before }) => before),
  )
}

/**
 * Each request counts once, when it is closed. One that was closed as interrupted is counted anew by its true end, unless
 * its caller gets the answer only after booking: then nobody got one, or of a stream not its end, and the interruption
 * stands (decision 0025).
 */
async function writeAnyEnds(
  db: Transaction<Database>,
  { additions, firstEnds, trueEnds }: Tables,
  closed: readonly Merged[],
  filledIn: readonly FilledIn[],
): Promise<void> {
  const known = await closedAmong(db, closed)
  const first = closed.filter(({ row }) => !known.has(row.id))
  const written = await firstEnds.run(db, first.map(valuesOf))
  if (written < first.length) throw new EndedBefore('another node has just closed a call of this batch')
  const replacing = closed.filter(
    ({ row, answersAfterBooking }) => known.get(row.id)?.code === INTERRUPTED.code && !answersAfterBooking,
  )
  await trueEnds.run(db, replacing.map(valuesOf))
  const replaced = replacing.flatMap(({ row }) => known.get(row.id) ?? [])
  await additions.add(
    db,
    [...[...first, ...replacing].map(({ row }) => row), ...filledIn.map(({ after }) => after)],
    [...replaced, ...filledIn.map(({ before }) => before)],
  )
}

/** Which of these the log has as closed already, by id. */
async function closedAmong(db: Transaction<Database>, calls: readonly Merged[]): Promise<Map<string, FullRow>> {
  const ids = calls.map(({ row }) => row.id)
  let rows = db.selectFrom('requests').selectAll().where('id', 'in', ids).where('state', '=', 'closed')
  if (isPartitioned(db)) {
    const times = calls.map(({ row }) => row.started_at)
    rows = rows.where('started_at', '>=', Math.min(...times)).where('started_at', '<=', Math.max(...times))
  }
  return new Map((await rows.execute()).map((row) => [row.id, row]))
}

function valuesOf({ row }: Merged): unknown[] {
  return row.values
}

/** How rows are written: those of calls that began, those of calls that never ended before, and those given up before. */
function requestStatements(db: Kysely<Database>) {
  const columns = sql.join(REQUEST_COLUMNS.map((column) => sql.ref(column)))
  const row = sql`(${sql.join(REQUEST_COLUMNS.map(() => sql`${null}`))})`
  const updates = (columns: readonly string[]) =>
    sql.join(columns.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`))
  const all = REQUEST_COLUMNS.filter((column) => column !== 'id')
  // Written again, even with the same values, they would cost every index a deletion and an insertion.
  const atEnd = all.filter((column) => !INDEXED_COLUMNS.has(column))
  const identity = callIdentity(db)
  const insert = (size: number) =>
    sql`insert into requests (${columns}) values ${sql.join(Array.from({ length: size }, () => row))}
      on conflict (${identity})`
  // A closed row never changes, but for one that was given up as interrupted and whose end arrives after all.
  const isOpen = sql`requests.state = 'open'`
  const isInterrupted = sql`requests.code = ${sql.lit(INTERRUPTED.code)}`
  return {
    opened: new RowsStatement((size) => sql`${insert(size)} do nothing`),
    commits: new RowsStatement(commitsStatement),
    firstEnds: new RowsStatement((size) => sql`${insert(size)} do update set ${updates(atEnd)} where ${isOpen}`),
    trueEnds: new RowsStatement((size) => sql`${insert(size)} do update set ${updates(all)} where ${isInterrupted}`),
  }
}

/** What a stream has sent its first content with is noted in its open row. */
function commitsStatement(size: number) {
  const isText = new Set<string>(['id', 'provider', 'model'])
  const types = COMMIT_COLUMNS.map((column) => sql.raw(isText.has(column) ? 'text' : 'bigint'))
  const row = sql`(${sql.join(types.map((type) => sql`cast(${null} as ${type})`))})`
  const [id, startedAt, ...others] = COMMIT_COLUMNS
  const updates = others.map((column) => sql`${sql.ref(column)} = marks.${sql.ref(column)}`)
  const [theirs, time] = [sql.ref(`requests.${id}`), sql.ref(`requests.${startedAt}`)]
  return sql`with marks (${sql.join(COMMIT_COLUMNS.map((column) => sql.ref(column)))})
    as (values ${sql.join(Array.from({ length: size }, () => row))})
    update requests set ${sql.join(updates)} from marks
    where ${theirs} = marks.id and ${time} = marks.started_at and requests.state = 'open'`
}

/**
 * Calls whose process died. `node` null means every node: right where only one process can have the database.
 * Called after the spool has been folded and before new calls are taken.
 */
export async function closeInterrupted(db: Kysely<Database>, node: string | null, now: number): Promise<number> {
  const since = await openSince(db, now)
  return db.transaction().execute(async (transaction) => {
    if (node !== null) await lockSpool(transaction, node)
    let update = transaction
      .updateTable('requests')
      .set(interruption(HAS_MARK, now))
      // A literal, not a parameter: only so is the partial index of open rows used.
      .where('state', '=', sql.lit('open'))
      .where('started_at', '>=', since)
      .returningAll()
    if (node !== null) update = update.where('node', '=', node)
    const calls = await update.execute()
    await createUsageAdditions().add(transaction, calls)
    return calls.length
  })
}
