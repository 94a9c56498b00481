import type { Kysely } from 'kysely'
import { coversWorkspace } from '../../domain/access.ts'
import { GatewayError } from '../../domain/errors.ts'
import { FEED_START, type FeedPosition, feedProblem } from '../../request-log/feed/read-feed.ts'
import type { LogPosition, RequestFilters } from '../../request-log/search/filters.ts'
import { findRequest } from '../../request-log/search/find-request.ts'
import { searchRequests } from '../../request-log/search/search.ts'
import { type SlowPosition, searchSlowest } from '../../request-log/search/slowest.ts'
import { correctionsOf } from '../../store/control/books/corrections.ts'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import { timestampOrNull } from '../contract/fields.ts'
import type { requestOperations } from '../contract/requests.ts'
import { correctionView } from '../corrections/correction-view.ts'
import type { ManagementDeps } from '../deps.ts'
import type { Context, HandlersOf } from '../router.ts'
import { contentHandlers } from './content.ts'
import { decodeCursor, encodeCursor, refuseCursor } from './cursor.ts'
import { explainRequest } from './explain-request.ts'
import { exportRequests, feedLines } from './request-export.ts'
import { filtersOf, untilCaughtUp } from './request-filters.ts'
import { attemptsOf, toAttemptView, toRequestView } from './request-view.ts'

export function requestHandlers(deps: ManagementDeps): HandlersOf<typeof requestOperations> {
  const { reads } = deps
  return {
    async 'requests.list'({ query }) {
      const search = query.sort === 'slowest' ? slowest(query.cursor) : newest(query.cursor)
      await untilCaughtUp(deps)
      const filters = await newerOnly(deps, filtersOf(query), query.after)
      const { rows, cursor, searchedTo } = await search(reads, filters, query.limit)
      const names = await keyNames(deps, rows)
      return {
        data: rows.map((row) => toRequestView(row, names)),
        next_cursor: cursor === null ? null : encodeCursor(cursor),
        searched_to: timestampOrNull(searchedTo),
      }
    },
    async 'requests.export'({ query }) {
      const filters = filtersOf(query)
      await untilCaughtUp(deps)
      // Without an end: other nodes' clocks may be ahead. It goes back in time, so newer calls do not prolong it.
      return exportRequests(reads, filters, query.format)
    },
    async 'requests.feed'({ query: { after, limit } }) {
      const position = feedPosition(after)
      await untilCaughtUp(deps)
      const problem = await feedProblem(reads, position)
      if (problem !== null) throw new GatewayError('invalid_request', FEED_PROBLEMS[problem])
      return { mediaType: 'application/x-ndjson', pieces: feedLines(reads, position, limit) }
    },
    async 'requests.get'({ params }, context) {
      const row = await existingRequest(deps, params.id, context)
      const names = await keyNames(deps, [row])
      const [correction = null] = await correctionsOf(reads, [row.id])
      return {
        ...toRequestView(row, names),
        attempts: attemptsOf(row).map(toAttemptView),
        correction: correction === null ? null : correctionView(correction),
      }
    },
    async 'requests.explain'({ params }, context) {
      const row = await existingRequest(deps, params.id, context)
      const names = await keyNames(deps, [row])
      return explainRequest(reads, row, names.get(row.key_id) ?? null)
    },
    ...contentHandlers(deps),
  }
}

const FEED_PROBLEMS = {
  expired:
    'after: retention has deleted rows after this cursor. Leave it out to begin with the oldest row that is kept.',
  ahead: 'after: this cursor is ahead of the log. Was the database restored? Leave it out to begin again.',
}

function feedPosition(cursor: string | undefined): FeedPosition {
  if (cursor === undefined) return FEED_START
  const [batch = 0, rows = 0] = cursor.split('.').map(Number)
  return { batch, rows }
}

interface Page {
  rows: RequestRow[]
  cursor: (string | number)[] | null
  /** Null: to the end. */
  searchedTo: number | null
}

type Search = (db: Kysely<Database>, filters: RequestFilters, limit: number) => Promise<Page>

function newest(cursor: string | undefined): Search {
  const position = decodeCursor(cursor, 2)
  const after: LogPosition | null =
    position === null ? null : { startedAt: wholeOf(position[0]), id: textOf(position[1]) }
  return async (db, filters, limit) => {
    const { rows, next } = await searchRequests(db, filters, { after, limit })
    return { rows, cursor: next && [next.startedAt, next.id], searchedTo: next?.startedAt ?? null }
  }
}

function slowest(cursor: string | undefined): Search {
  const position = decodeCursor(cursor, 4)
  const after = position === null ? null : slowPosition(position)
  return async (db, filters, limit) => {
    const { rows, next, edge } = await searchSlowest(db, filters, { after, limit })
    return { rows, cursor: next && [next.durationMs, next.startedAt, next.id, next.edge ?? ''], searchedTo: edge }
  }
}

function slowPosition([duration, startedAt, id, edge]: readonly (string | number)[]): SlowPosition {
  return {
    durationMs: wholeOf(duration),
    startedAt: wholeOf(startedAt),
    id: textOf(id),
    edge: edge === '' ? null : wholeOf(edge),
  }
}

function wholeOf(part: string | number | undefined): number {
  return typeof part === 'number' && Number.isSafeInteger(part) ? part : refuseCursor()
}

function textOf(part: string | number | undefined): string {
  return typeof part === 'string' ? part : refuseCursor()
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

async function existingRequest(deps: ManagementDeps, id: string, { access }: Context): Promise<RequestRow> {
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
