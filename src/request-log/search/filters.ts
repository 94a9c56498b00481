import { type SelectQueryBuilder, sql } from 'kysely'
import { INTERRUPTED } from '../../domain/errors.ts'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import { hasTag, type Tag } from './tag.ts'
import type { TimeRange } from './windows.ts'

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
  /** With unconfirmed spend; `open`: none that was confirmed or released. */
  unconfirmed: 'open' | 'any' | null
  /** Milliseconds, both included. */
  minDurationMs: number | null
  maxDurationMs: number | null
  streamed: boolean | null
  /** How a stream ended. */
  ended: string | null
  /** What the cache of its route did. */
  cache: string | null
  endpoint: string | null
  user: string | null
  session: string | null
  agent: string | null
  kind: string | null
  project: string | null
  tag: Tag | null
  /** Only those before this one in the list. */
  newerThan?: LogPosition | null
}

/** Where a page ended: requests are listed from the newest to the oldest, by id within a millisecond. */
export interface LogPosition {
  startedAt: number
  id: string
}

/** Whether rows must be looked at one by one. */
export function isSifting(filters: RequestFilters): boolean {
  const { provider, model, code, status, fallback, minCostPicodollars, streamed, ended, endpoint, tag } = filters
  const { param, providerCode, reason, minDurationMs, maxDurationMs, cache, unconfirmed, agent, kind, project } =
    filters
  const asked = [provider, model, code, status, fallback, minCostPicodollars, streamed, ended, endpoint, tag]
  asked.push(param, providerCode, reason, minDurationMs, maxDurationMs, cache, unconfirmed, agent, kind, project)
  return pathsOf(filters).length > 1 || asked.some((filter) => filter !== null)
}

type Path = 'session' | 'user' | 'keyId' | 'route'
/** Filters with their own index, the most selective first: the first that is asked for is walked along. */
const PATHS: readonly Path[] = ['session', 'user', 'keyId', 'route']

export function pathsOf(filters: RequestFilters): Path[] {
  return PATHS.filter((path) => filters[path] !== null)
}

/** The times that a page may reach over. */
export function rangeOf({ from, to }: RequestFilters, after: Pick<LogPosition, 'startedAt'> | null): TimeRange {
  return { from, to: after === null ? to : Math.min(to ?? Infinity, after.startedAt + 1) }
}

export type Requests<Columns> = SelectQueryBuilder<Database, 'requests', Columns>

export function alongIndex<Columns>(
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

/**
 * From a call's admission to its end, in milliseconds. Null while it runs, and if its process died: its recorded end is
 * when that was noticed.
 */
export const DURATION_MS = sql<number | null>`case when code = ${sql.lit(INTERRUPTED.code)} then null
  when finished_at < started_at then 0 else finished_at - started_at end`

/** The same of a row in hand. */
export function durationMs(row: Pick<RequestRow, 'started_at' | 'finished_at' | 'code'>): number | null {
  if (row.finished_at === null || row.code === INTERRUPTED.code) return null
  return Math.max(0, row.finished_at - row.started_at)
}

/** The closed ones that meet every filter that no index was walked along for. */
export function sifted<Columns>(rows: Requests<Columns>, filters: RequestFilters): Requests<Columns> {
  const { provider, model, code, status, fallback, minCostPicodollars, streamed, ended, endpoint, tag } = filters
  const { minDurationMs, maxDurationMs, cache, agent, kind, project } = filters
  let found = rows.where('state', '=', 'closed')
  for (const path of pathsOf(filters).slice(1)) found = onPath(found, filters, path)
  if (provider !== null) found = found.where('provider', '=', provider)
  if (model !== null) found = found.where('model', '=', model)
  if (code !== null) found = found.where('code', '=', code)
  if (status === 'ok' || status === 'error') found = found.where('code', status === 'ok' ? 'is' : 'is not', null)
  else if (status !== null) found = found.where('status', '=', status)
  if (fallback !== null) found = found.where('fallback', '=', fallback ? 1 : 0)
  if (minCostPicodollars !== null) found = found.where('cost_picodollars', '>=', minCostPicodollars)
  if (minDurationMs !== null) found = found.where(DURATION_MS, '>=', minDurationMs)
  if (maxDurationMs !== null) found = found.where(DURATION_MS, '<=', maxDurationMs)
  if (streamed !== null) found = found.where('streamed', '=', streamed ? 1 : 0)
  if (ended !== null) found = found.where('ended', '=', ended)
  if (cache !== null) found = found.where('cache', '=', cache)
  if (endpoint !== null) found = found.where('endpoint', '=', endpoint)
  if (agent !== null) found = found.where('agent', agent === '' ? 'is' : '=', agent || null)
  if (kind !== null) found = found.where('kind', '=', kind)
  if (project !== null) found = found.where('project', '=', project)
  if (tag !== null) found = found.where(hasTag(tag))
  if (filters.unconfirmed !== null) found = found.where(isUnconfirmed(filters.unconfirmed))
  return because(found, filters)
}

function isUnconfirmed(which: 'open' | 'any') {
  const corrected = sql` and not exists (select 1 from corrections where corrections.request_id = requests.id)`
  return sql<boolean>`(unconfirmed_most_picodollars is not null${which === 'open' ? corrected : sql``})`
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

/** Escapes a text for `like`. */
function pattern(text: string): string {
  return text.replaceAll(/[~%_]/g, '~$&')
}
