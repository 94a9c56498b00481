import type { Kysely } from 'kysely'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import { alongIndex, DURATION_MS, durationMs, type LogPosition, type RequestFilters, sifted } from './filters.ts'
import { scan } from './search.ts'
import { newestFirst } from './windows.ts'

/** Where a page ended: by duration, then by time and id. */
export interface SlowPosition extends LogPosition {
  durationMs: number
  /** The oldest time that the first page has looked at, and so all others; null: the whole range. */
  edge: number | null
}

export interface SlowestRequests {
  rows: RequestRow[]
  next: SlowPosition | null
  edge: number | null
}

/**
 * Rows looked at, the newest of those that the range and an index leave. An index by duration would cost every call, and
 * could not be walked within a range of time.
 */
const SCANNED_ROWS = 300_000

/** The slowest first. Calls without a duration are left out: those that run, and those whose process died. */
export async function searchSlowest(
  db: Kysely<Database>,
  filters: RequestFilters,
  page: { after: SlowPosition | null; limit: number; scannedRows?: number },
): Promise<SlowestRequests> {
  const { after, limit, scannedRows = SCANNED_ROWS } = page
  const edge = after === null ? await edgeOf(db, filters, scannedRows) : after.edge
  const from = edge === null ? filters.from : Math.max(edge, filters.from ?? edge)
  const found: RequestRow[] = []
  for await (const window of newestFirst(db, { from, to: filters.to })) {
    found.push(...(await slowestOf(db, { ...filters, ...window }, after, limit + 1)))
  }
  // Of a key all rows or none are of the workspace: see search.ts.
  if (found.some((row) => row.workspace !== filters.workspace)) return { rows: [], next: null, edge: null }
  // Rows of one time are of one window, which has them in order.
  found.sort((a, b) => (durationMs(b) ?? 0) - (durationMs(a) ?? 0) || b.started_at - a.started_at)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  if (found.length <= limit || last === undefined) return { rows, next: null, edge }
  return { rows, next: { durationMs: durationMs(last) ?? 0, startedAt: last.started_at, id: last.id, edge }, edge }
}

async function edgeOf(db: Kysely<Database>, filters: RequestFilters, most: number): Promise<number | null> {
  let left = most
  for await (const window of newestFirst(db, filters)) {
    const { scanned, edge } = await scan(db, { ...filters, ...window }, null, left)
    if (edge !== null) return edge
    left -= scanned
  }
  return null
}

function slowestOf(db: Kysely<Database>, filters: RequestFilters, after: SlowPosition | null, limit: number) {
  let rows = sifted(alongIndex(db.selectFrom('requests').selectAll(), filters, null), filters)
  rows = rows.where(DURATION_MS, 'is not', null)
  if (after !== null) {
    rows = rows.where((where) =>
      where.or([
        where(DURATION_MS, '<', after.durationMs),
        where.and([where(DURATION_MS, '=', after.durationMs), where('started_at', '<', after.startedAt)]),
        where.and([
          where(DURATION_MS, '=', after.durationMs),
          where('started_at', '=', after.startedAt),
          where('id', '<', after.id),
        ]),
      ]),
    )
  }
  return rows.orderBy(DURATION_MS, 'desc').orderBy('started_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}
