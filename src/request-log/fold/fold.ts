import { type Kysely, sql, type Transaction } from 'kysely'
import { INTERRUPTED } from '../../domain/errors.ts'
import { copyRows, isTaken } from '../../store/engine/copy-rows.ts'
import type { Database } from '../../store/engine/schema.ts'
import { appendToFeed } from '../feed/append-feed.ts'
import { isPartitioned, KnownPartitions } from '../retention/partitions.ts'
import { type FullRow, REQUEST_COLUMNS } from '../row.ts'
import { openSince } from '../search/windows.ts'
import { recordsOf, type SpoolRow } from '../spool/record-lines.ts'
import { nodeOfSpool } from '../spool/segments.ts'
import { type Claim, checkClaim } from './claim-spool.ts'
import { type Batch, type Merged, mergeRecords } from './fold-batch.ts'
import { HAS_MARK, interruption } from './interruption.ts'
import { LeftOut } from './left-out.ts'
import { lockSpool, movePosition, type Position, readPositions } from './position.ts'
import { requestStatements } from './request-statements.ts'
import { createUsageAdditions, type UsageAdditions } from './usage-additions.ts'
import { withdrawCorrections } from './withdraw-corrections.ts'

export interface FoldOptions {
  /** Called between records. */
  pause?: () => void
  /** How long the start of a call is held back: most end within it and are written once. */
  openAfterMs?: number
  now?: () => number
  /** Where a copy of the folder could deliver to the same database. */
  claim?: Claim | null
}

export interface RequestFold {
  /**
   * Where to go on: what was left out before is read again and delivered, so that everything up to here is in the log.
   * At the beginning, and after a failure.
   */
  resume(read: (after: number) => SpoolRow[]): Promise<number>
  /**
   * Moves rows of the spool into the request table and its sums, exactly once: the position moves in the same
   * transaction and only from the expected value, so neither a crash nor a lost commit can apply a batch twice. Starts
   * of calls wait until they are old, unless `isWhole`. Returns the new position.
   */
  fold(after: number, rows: readonly SpoolRow[], isWhole?: boolean): Promise<number>
  /** Everything up to here is in the log, after so many records were folded. */
  wholeUpTo(after: number): number
  /** When the next beginning gets old, by `now`; null: none is left out. */
  nextDue(): number | null
}

/** `spool`: the id of the spool, whose position moves. */
export function createFold(db: Kysely<Database>, spool: string, options: FoldOptions = {}): RequestFold {
  const node = nodeOfSpool(spool)
  const { pause, openAfterMs = 0, now = () => performance.now(), claim = null } = options
  const write = batchWriter(db, spool, claim)
  const leftOut = new LeftOut()

  async function fold(after: number, rows: readonly SpoolRow[], isWhole = openAfterMs === 0): Promise<number> {
    const at = now()
    const to = rows.at(-1)?.seq ?? after
    const fresh = rows.flatMap(recordsOf)
    try {
      const records = isWhole ? [...leftOut.due(at), ...fresh] : [...leftOut.take(fresh, at)]
      if (!isWhole) records.unshift(...leftOut.due(at - openAfterMs))
      if (to > after || records.length > 0) {
        await write(mergeRecords(records, node, pause), after, { seq: leftOut.before(to), ends: to })
      }
      return to
    } catch (error) {
      leftOut.clear()
      throw error
    }
  }

  return {
    async resume(read) {
      leftOut.clear()
      const { seq, ends } = await readPositions(db, spool)
      if (claim !== null) await checkClaim(db, node, claim)
      for (let at = seq; at < ends; ) {
        const rows = read(at).filter((row) => row.seq <= ends)
        if (rows.length === 0) break
        leftOut.take(rows.flatMap(recordsOf), now())
        at = rows.at(-1)?.seq ?? ends
      }
      return seq < ends ? fold(ends, [], true) : ends
    },
    fold,
    wholeUpTo: (after) => leftOut.before(after),
    nextDue: () => (leftOut.since === null ? null : leftOut.since + openAfterMs),
  }
}

/** Writes a batch in one transaction, with the position that it leads to. */
function batchWriter(db: Kysely<Database>, spool: string, claim: Claim | null) {
  const tables = { ...requestStatements(db), additions: createUsageAdditions() }
  const partitions = new KnownPartitions(db)
  return async (batch: Batch, after: number, to: Position): Promise<void> => {
    await partitions.ensure([...batch.opened, ...batch.closed].map(({ row }) => row.started_at))
    const apply = (writeClosed: typeof writeFirstEnds) =>
      db.transaction().execute(async (transaction) => {
        await movePosition(transaction, spool, after, to)
        if (claim !== null) await checkClaim(transaction, nodeOfSpool(spool), claim)
        await tables.opened.run(transaction, batch.opened.map(valuesOf))
        await tables.commits.run(transaction, batch.commits)
        const ended = await writeClosed(transaction, tables, batch.closed)
        if (batch.rejected.length > 0) await transaction.insertInto('spool_rejects').values(batch.rejected).execute()
        await appendToFeed(transaction, ended)
      })
    try {
      await apply(writeFirstEnds)
    } catch (error) {
      partitions.forget()
      if (!(error instanceof EndedBefore || isTaken(error))) throw error
      await apply(writeAnyEnds)
    }
  }
}

type Tables = ReturnType<typeof requestStatements> & { additions: UsageAdditions }

/** Some of the calls of a batch had an end in the log before. */
class EndedBefore extends Error {}

/**
 * What nearly every batch is: no call of it has ended before, so all of them count. That this is so is seen by the
 * number of rows written, or by PostgreSQL's refusal of a copy, which costs nothing, and only if it is not, they are
 * looked up.
 */
async function writeFirstEnds(
  db: Transaction<Database>,
  tables: Tables,
  closed: readonly Merged[],
): Promise<FullRow[]> {
  const [copied, others] = isPartitioned(db)
    ? [closed.filter(isNew), closed.filter((call) => !isNew(call))]
    : [[], closed]
  await copyRows(db, REQUESTS, copied.map(valuesOf))
  const written = await tables.firstEnds.run(db, others.map(valuesOf))
  if (written < others.length) throw new EndedBefore('a call of this batch is closed')
  const rows = closed.map(({ row }) => row)
  await tables.additions.add(db, rows)
  return rows
}

/**
 * Each request counts once, when it is closed. One that was closed as interrupted is counted again by its true end: its
 * node was forgotten, and its spool has turned up.
 */
async function writeAnyEnds(
  db: Transaction<Database>,
  { additions, firstEnds, trueEnds }: Tables,
  closed: readonly Merged[],
): Promise<FullRow[]> {
  const known = await closedAmong(db, closed)
  const first = closed.filter(({ row }) => !known.has(row.id))
  const ended = await firstEnds.run(db, first.map(valuesOf))
  if (ended < first.length) throw new EndedBefore('another node has just closed a call of this batch')
  const replacing = closed.filter(({ row }) => known.get(row.id)?.code === INTERRUPTED.code)
  await trueEnds.run(db, replacing.map(valuesOf))
  const replaced = replacing.flatMap(({ row }) => known.get(row.id) ?? [])
  const written = [...first, ...replacing].map(({ row }) => row)
  await additions.add(db, written, replaced)
  if (replaced.length > 0) await withdrawCorrections(db, replaced, written)
  return written
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

const REQUESTS = { table: 'requests', columns: REQUEST_COLUMNS }

function isNew(call: Merged): boolean {
  return call.isNew
}

function valuesOf({ row }: Merged) {
  return row.values
}

/**
 * Calls whose process died. `node` null means every node: right where only one process can have the database.
 * Called after the spool has been folded and before new calls are taken; with `MAY_HAVE_MARK` where the spool is lost.
 */
export async function closeInterrupted(
  db: Kysely<Database>,
  node: string | null,
  now: number,
  hasContent = HAS_MARK,
): Promise<number> {
  const since = await openSince(db, now)
  return db.transaction().execute(async (transaction) => {
    if (node !== null) await lockSpool(transaction, node)
    let update = transaction
      .updateTable('requests')
      .set(interruption(hasContent, now))
      // A literal, not a parameter: only so is the partial index of open rows used.
      .where('state', '=', sql.lit('open'))
      .where('started_at', '>=', since)
      .returningAll()
    if (node !== null) update = update.where('node', '=', node)
    const calls = await update.execute()
    await createUsageAdditions().add(transaction, calls)
    await appendToFeed(transaction, calls)
    return calls.length
  })
}
