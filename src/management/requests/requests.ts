import { coversWorkspace } from '../../domain/access.ts'
import { GatewayError } from '../../domain/errors.ts'
import { findRequest } from '../../request-log/search/find-request.ts'
import { type LogPosition, type RequestFilters, searchRequests } from '../../request-log/search/search.ts'
import type { RequestRow } from '../../store/engine/schema.ts'
import { timestamp } from '../contract/fields.ts'
import type { requestOperations } from '../contract/requests.ts'
import type { ManagementDeps } from '../deps.ts'
import type { Context, HandlersOf } from '../router.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { explainRequest } from './explain-request.ts'
import { exportRequests } from './request-export.ts'
import { filtersOf, untilCaughtUp } from './request-filters.ts'
import { attemptsOf, toAttemptView, toRequestView } from './request-view.ts'

export function requestHandlers(deps: ManagementDeps): HandlersOf<typeof requestOperations> {
  const { reads } = deps
  return {
    async 'requests.list'({ query }) {
      const after = positionOf(query.cursor)
      await untilCaughtUp(deps)
      const filters = await newerOnly(deps, filtersOf(query), query.after)
      const { rows, next } = await searchRequests(reads, filters, { after, limit: query.limit })
      const names = await keyNames(deps, rows)
      return {
        data: rows.map((row) => toRequestView(row, names)),
        next_cursor: next === null ? null : encodeCursor([next.startedAt, next.id]),
        searched_to: next === null ? null : timestamp(next.startedAt),
      }
    },
    async 'requests.export'({ query }, { now }) {
      const filters = filtersOf(query)
      await untilCaughtUp(deps)
      // What arrives while it is being written would never let it end.
      return exportRequests(reads, { ...filters, to: filters.to ?? now + 1 }, query.format)
    },
    async 'requests.get'({ params }, context) {
      const row = await find(deps, params.id, context)
      const names = await keyNames(deps, [row])
      return { ...toRequestView(row, names), attempts: attemptsOf(row).map(toAttemptView) }
    },
    async 'requests.explain'({ params }, context) {
      const row = await find(deps, params.id, context)
      const names = await keyNames(deps, [row])
      return explainRequest(reads, row, names.get(row.key_id) ?? null)
    },
  }
}

function positionOf(cursor: string | undefined): LogPosition | null {
  const position = decodeCursor(cursor, 2)
  if (position === null) return null
  const [startedAt, id] = position
  if (typeof startedAt === 'number' && Number.isSafeInteger(startedAt) && typeof id === 'string') {
    return { startedAt, id }
  }
  throw new GatewayError('invalid_request', 'cursor: not one of this list; take next_cursor of the page before')
}

/** What came since the caller has looked: time narrows it along the index, the id decides within a millisecond. */
async function newerOnly(
  deps: ManagementDeps,
  filters: RequestFilters,
  id: string | undefined,
): Promise<RequestFilters> {
  if (id === undefined) return filters
  const row = await findRequest(deps.reads, id)
  if (row?.workspace !== filters.workspace)
    throw new GatewayError('invalid_request', `after: there is no request '${id}' in the log`)
  const from = Math.max(filters.from ?? 0, row.started_at)
  return { ...filters, from, newerThan: { startedAt: row.started_at, id: row.id } }
}

async function find(deps: ManagementDeps, id: string, { access }: Context): Promise<RequestRow> {
  await untilCaughtUp(deps)
  const row = await findRequest(deps.reads, id)
  if (row === undefined || !coversWorkspace(access, row.workspace))
    throw new GatewayError('not_found', `There is no request '${id}' in the log.`)
  return row
}

async function keyNames(deps: ManagementDeps, rows: readonly RequestRow[]): Promise<Map<string, string>> {
  const ids = [...new Set(rows.map((row) => row.key_id))]
  if (ids.length === 0) return new Map()
  const keys = await deps.reads.selectFrom('keys').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(keys.map((key) => [key.id, key.name]))
}
