import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import { HOUR_MS } from '../usage/rollup.ts'
import { hasTag, type Tag } from './tag.ts'
import { newestFirst, type TimeRange } from './windows.ts'

/** What a request must be like; null asks nothing. */
export interface RequestFilters {
  workspace: string
  /** Unix milliseconds: started at or after `from` and before `to`. */
  from: number | null
  to: number | null
  keyId: string | null
  /** Empty for calls of a direct model id. */
  route: string | null
  provider: string | null
  model: string | null
  code: string | null
  /** A field of the request, with those inside it. */
  param: string | null
  providerCode: string | null
  /** A part of the reason, in whichever case. */
  reason: string | null
  status: number | 'ok' | 'error' | null
  fallback: boolean | null
  minCostPicodollars: bigint | null
  streamed: boolean | null
  /** How a stream ended. */
  ended: string | null
  endpoint: string | null
  user: string | null
  session: string | null
  tag: Tag | null
  /** Only those that stand before this one in the list. */
  newerThan?: LogPosition | null
}

/** Where a page ended: requests are listed from the newest to the oldest, by id within a millisecond. */
export interface LogPosition {
  startedAt: number
  id: string
}

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
 * One page of the log, in bounded time whatever the filters: session, user, key, route or time is walked along an
 * index; for the other filters the hourly sums say where the next candidate can be, and from there a bounded stretch is looked at.
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

/** Whether rows must be looked at one by one. */
function isSifting(filters: RequestFilters): boolean {
  const { provider, model, code, status, fallback, minCostPicodollars, streamed, ended, endpoint, tag } = filters
  const { param, providerCode, reason } = filters
  const asked = [provider, model, code, status, fallback, minCostPicodollars, streamed, ended, endpoint, tag]
  asked.push(param, providerCode, reason)
  return pathsOf(filters).length > 1 || asked.some((filter) => filter !== null)
}

type Path = 'session' | 'user' | 'keyId' | 'route'
/** Filters with an index of their own, the most selective first: the first that is asked for is walked along. */
const PATHS: readonly Path[] = ['session', 'user', 'keyId', 'route']

function pathsOf(filters: RequestFilters): Path[] {
  return PATHS.filter((path) => filters[path] !== null)
}

/** The times that a page may reach over. */
function rangeOf({ from, to }: RequestFilters, after: LogPosition | null): TimeRange {
  return { from, to: after === null ? to : Math.min(to ?? Infinity, after.startedAt + 1) }
}

type Requests<Columns> = SelectQueryBuilder<Database, 'requests', Columns>

/** A stretch of the log from the newest on, along one index; `edge` is the oldest time in it. */
function stretch(db: Kysely<Database>, filters: RequestFilters, after: LogPosition | null, edge: number | null) {
  let rows = alongIndex(db.selectFrom('requests').selectAll(), filters, after)
  if (edge !== null) rows = rows.where('started_at', '>=', edge)
  return rows.orderBy('started_at', 'desc').orderBy('id', 'desc')
}

function alongIndex<Columns>(
  rows: Requests<Columns>,
  filters: RequestFilters,
  after: LogPosition | null,
): Requests<Columns> {
  const { workspace, from, to, newerThan = null } = filters
  const [path] = pathsOf(filters)
  let found = path === 'keyId' ? rows : rows.where('workspace', '=', workspace)
  if (path !== undefined) found = onPath(found, filters, path)
  if (from !== null) found = found.where('started_at', '>=', from)
  if (to !== null) found = found.where('started_at', '<', to)
  if (newerThan !== null) {
    found = found
      .where('started_at', '>=', newerThan.startedAt)
      .where((where) => where.or([where('started_at', '>', newerThan.startedAt), where('id', '>', newerThan.id)]))
  }
  if (after === null) return found
  return found
    .where('started_at', '<=', after.startedAt)
    .where((where) => where.or([where('started_at', '<', after.startedAt), where('id', '<', after.id)]))
}

function onPath<Columns>(rows: Requests<Columns>, filters: RequestFilters, path: Path): Requests<Columns> {
  const { session, user, keyId, route } = filters
  switch (path) {
    case 'session':
      return rows.where('session', '=', session)
    case 'user':
      return rows.where('end_user', '=', user)
    case 'keyId':
      return rows.where('key_id', '=', keyId ?? '')
    case 'route':
      return rows.where('route', route === '' ? 'is' : '=', route || null)
  }
}

/** How many rows there are, at most `most`; if there are so many, `edge` is the oldest time within them. */
async function scan(
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

function sifted<Columns>(rows: Requests<Columns>, filters: RequestFilters): Requests<Columns> {
  const { provider, model, code, status, fallback, minCostPicodollars, streamed, ended, endpoint, tag } = filters
  let found = rows.where('state', '=', 'closed')
  for (const path of pathsOf(filters).slice(1)) found = onPath(found, filters, path)
  if (provider !== null) found = found.where('provider', '=', provider)
  if (model !== null) found = found.where('model', '=', model)
  if (code !== null) found = found.where('code', '=', code)
  if (status === 'ok' || status === 'error') found = found.where('code', status === 'ok' ? 'is' : 'is not', null)
  else if (status !== null) found = found.where('status', '=', status)
  if (fallback !== null) found = found.where('fallback', '=', fallback ? 1 : 0)
  if (minCostPicodollars !== null) found = found.where('cost_picodollars', '>=', minCostPicodollars)
  if (streamed !== null) found = found.where('streamed', '=', streamed ? 1 : 0)
  if (ended !== null) found = found.where('ended', '=', ended)
  if (endpoint !== null) found = found.where('endpoint', '=', endpoint)
  if (tag !== null) found = found.where(hasTag(tag))
  return because(found, filters)
}

/** Those that failed, by why. */
function because<Columns>(rows: Requests<Columns>, { param, providerCode, reason }: RequestFilters): Requests<Columns> {
  let found = rows
  if (providerCode !== null) found = found.where('provider_code', '=', providerCode)
  if (reason !== null)
    found = found.where(sql<boolean>`lower(reason) like ${`%${pattern(reason.toLowerCase())}%`} escape '~'`)
  if (param === null) return found
  const inside = pattern(param)
  return found.where((where) =>
    where.or([
      where('param', '=', param),
      sql<boolean>`param like ${`${inside}.%`} escape '~'`,
      sql<boolean>`param like ${`${inside}[%`} escape '~'`,
    ]),
  )
}

/** Of a text for `like`: what is special there stands for itself. */
function pattern(text: string): string {
  return text.replaceAll(/[~%_]/g, '~$&')
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
  if (status !== null) hours = hours.where('code', status === 'ok' || status === 200 ? '=' : '<>', '')
  // Only what failed has a reason.
  if (param !== null || providerCode !== null || reason !== null) hours = hours.where('code', '<>', '')
  if (fallback === true) hours = hours.where('fallbacks', '>', 0)
  if (fallback === false) hours = hours.where('requests', '>', sql.ref<number>('fallbacks'))
  return minCostPicodollars === null ? hours : hours.where('cost_picodollars', '>=', minCostPicodollars)
}
