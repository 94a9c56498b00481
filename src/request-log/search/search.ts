import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import { HOUR_MS } from '../usage/rollup.ts'
import { alongIndex, isSifting, type LogPosition, type RequestFilters, rangeOf, sifted } from './filters.ts'
import { newestFirst } from './windows.ts'

export interface FoundRequests {
  rows: RequestRow[]
  /** Null when there is nothing more. Not null after a short page: there may be more further back. */
  next: LogPosition | null
}

/** Rows looked at for one page: with a filter that few meet, a page is short rather than slow. */
const SCANNED_ROWS = 10_000
/** The same for hourly sums. */
const SCANNED_SUMS = 20_000
/** Most matches are near: only when there is none within this time, it is worked out how far to look. */
const NEAR_MS = 24 * HOUR_MS

/**
 * One page of the log, in bounded time for all filters: session, user, key, route or time follow an index; for the
 * other filters the hourly sums show where the next candidate can be, and from there a bounded range is scanned.
 */
export async function searchRequests(
  db: Kysely<Database>,
  filters: RequestFilters,
  page: { after: LogPosition | null; limit: number; scannedRows?: number; scannedSums?: number },
): Promise<FoundRequests> {
  const { after, limit, scannedRows = SCANNED_ROWS, scannedSums = SCANNED_SUMS } = page
  if (!isSifting(filters)) return listNewest(db, filters, { after, limit })
  const { hour, edge: lastHour } = await newestHour(db, filters, after, scannedSums)
  if (hour === null) return { rows: [], next: lastHour === null ? null : { startedAt: lastHour, id: '' } }
  const narrowed = { ...filters, to: Math.min(filters.to ?? Number.MAX_SAFE_INTEGER, hour + HOUR_MS) }
  return siftNewest(db, narrowed, { after, limit, scannedRows })
}

async function listNewest(
  db: Kysely<Database>,
  filters: RequestFilters,
  { after, limit }: { after: LogPosition | null; limit: number },
): Promise<FoundRequests> {
  const rows: RequestRow[] = []
  for await (const window of newestFirst(db, rangeOf(filters, after))) {
    const found = stretch(db, { ...filters, ...window }, after, null).limit(limit + 1 - rows.length)
    rows.push(...(await found.execute()))
    if (rows.length > limit) break
  }
  return taken(rows, filters, limit, null)
}

/** Looks at a bounded stretch of rows one by one, and no further than the page is full. */
async function siftNewest(
  db: Kysely<Database>,
  filters: RequestFilters,
  page: { after: LogPosition | null; limit: number; scannedRows: number },
): Promise<FoundRequests> {
  const { after, limit, scannedRows } = page
  const rows: RequestRow[] = []
  let left = scannedRows + 1
  for await (const window of newestFirst(db, rangeOf(filters, after))) {
    const { scanned, edge } = await scan(db, { ...filters, ...window }, after, left)
    const matches = sifted(stretch(db, { ...filters, ...window }, after, edge), filters)
    rows.push(...(await matches.limit(limit + 1 - rows.length).execute()))
    if (rows.length > limit || edge !== null) return taken(rows, filters, limit, edge)
    left -= scanned
  }
  return taken(rows, filters, limit, null)
}

function taken(rows: RequestRow[], filters: RequestFilters, limit: number, edge: number | null): FoundRequests {
  // Of a key all rows or none are of the workspace. Asked of the database, it might walk the workspace's index instead.
  if (rows.some((row) => row.workspace !== filters.workspace)) return { rows: [], next: null }
  const last = rows[limit - 1]
  if (rows.length > limit && last !== undefined) {
    return { rows: rows.slice(0, limit), next: { startedAt: last.started_at, id: last.id } }
  }
  return { rows, next: edge === null ? null : { startedAt: edge, id: '' } }
}

/** A stretch of the log from the newest on, along one index; `edge` is the oldest time in it. */
function stretch(db: Kysely<Database>, filters: RequestFilters, after: LogPosition | null, edge: number | null) {
  let rows = alongIndex(db.selectFrom('requests').selectAll(), filters, after)
  if (edge !== null) rows = rows.where('started_at', '>=', edge)
  return rows.orderBy('started_at', 'desc').orderBy('id', 'desc')
}

/** How many rows there are, at most `most`; if there are so many, `edge` is the oldest time within them. */
export async function scan(
  db: Kysely<Database>,
  filters: RequestFilters,
  after: LogPosition | null,
  most: number,
): Promise<{ scanned: number; edge: number | null }> {
  // By time alone, so that the index answers without a look at the rows. An empty id: that time is done already.
  const end = after === null ? Infinity : after.startedAt + (after.id === '' ? 0 : 1)
  const before = after === null ? filters : { ...filters, to: Math.min(filters.to ?? Infinity, end) }
  const times = alongIndex(db.selectFrom('requests').select('started_at'), before, null)
    .orderBy('started_at', 'desc')
    .limit(most)
  const { scanned, oldest } = await db
    .selectFrom(times.as('times'))
    .select((select) => [select.fn.countAll<number>().as('scanned'), select.fn.min<number>('started_at').as('oldest')])
    .executeTakeFirstOrThrow()
  return { scanned, edge: scanned === most ? oldest : null }
}

/** The newest hour whose sums leave room for a match, of those from `edge` on; an `edge` of null is the whole past. */
async function newestHour(
  db: Kysely<Database>,
  filters: RequestFilters,
  after: LogPosition | null,
  scannedSums: number,
): Promise<{ hour: number | null; edge: number | null }> {
  const sums = sumsBefore(db, filters, after).orderBy('hour', 'desc')
  const newest = await sums.limit(1).executeTakeFirst()
  if (newest === undefined) return { hour: null, edge: null }
  const near = roomFor(sums, filters).where('hour', '>', newest.hour - NEAR_MS)
  const match = await near.limit(1).executeTakeFirst()
  if (match !== undefined) return { hour: match.hour, edge: null }
  const edge = (await sums.offset(scannedSums).limit(1).executeTakeFirst())?.hour ?? null
  const all = edge === null ? sums : sums.where('hour', '>=', edge)
  const far = await roomFor(all, filters).limit(1).executeTakeFirst()
  return { hour: far?.hour ?? null, edge }
}

type Hours = SelectQueryBuilder<Database, 'usage_hours', { hour: number }>

function sumsBefore(db: Kysely<Database>, filters: RequestFilters, after: LogPosition | null): Hours {
  let hours = db.selectFrom('usage_hours').select('hour').where('workspace', '=', filters.workspace)
  if (filters.from !== null) hours = hours.where('hour', '>', filters.from - HOUR_MS)
  if (filters.to !== null) hours = hours.where('hour', '<', filters.to)
  return after === null ? hours : hours.where('hour', after.id === '' ? '<' : '<=', after.startedAt)
}

function roomFor(sums: Hours, filters: RequestFilters): Hours {
  const { keyId, route, provider, model, code, status, fallback, minCostPicodollars, endpoint } = filters
  const { param, providerCode, reason } = filters
  let hours = sums.where('requests', '>', 0)
  // Sums from before endpoints had their own have none, and may be of any.
  if (endpoint !== null) hours = hours.where('endpoint', 'in', [endpoint, ''])
  if (keyId !== null) hours = hours.where('key_id', '=', keyId)
  if (route !== null) hours = hours.where('route', '=', route)
  if (provider !== null) hours = hours.where('provider', '=', provider)
  if (model !== null) hours = hours.where('model', '=', model)
  if (code !== null) hours = hours.where('code', '=', code)
  // A 200 may be either: a stream that was cut has the status of its head, and the code of what cut it.
  if (status !== null && status !== 200) hours = hours.where('code', status === 'ok' ? '=' : '<>', '')
  // Only what failed has a reason.
  if (param !== null || providerCode !== null || reason !== null) hours = hours.where('code', '<>', '')
  if (fallback === true) hours = hours.where('fallbacks', '>', 0)
  if (fallback === false) hours = hours.where('requests', '>', sql.ref<number>('fallbacks'))
  return minCostPicodollars === null ? hours : hours.where('cost_picodollars', '>=', minCostPicodollars)
}
