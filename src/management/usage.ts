import type { z } from 'zod'
import { type Access, coversWorkspace } from '../domain/access.ts'
import { GatewayError } from '../domain/errors.ts'
import { ALL_DIMENSIONS, type UsageDimension, type UsageFilter } from '../domain/log/usage-dimensions.ts'
import { asPicodollars, exactUsd } from '../domain/pricing/price.ts'
import { tagOf } from '../request-log/search/tag.ts'
import { readsWholeRange } from '../request-log/usage/attributed.ts'
import type { UsageInterval, UsageQuery, UsageRow } from '../request-log/usage/group-sums.ts'
import { gatewayPercentile, latencyPercentile } from '../request-log/usage/latency.ts'
import { summedWorkspaces } from '../request-log/usage/summed-workspaces.ts'
import { addUsage, NO_SUMS, type UsageSums } from '../request-log/usage/sums.ts'
import { readUsage } from '../request-log/usage/usage.ts'
import { mapInTurns } from '../store/engine/in-turns.ts'
import { timestamp, timestampOrNull } from './contract/fields.ts'
import type { UsageSums as ShownSums, usageOperations } from './contract/usage.ts'
import type { ManagementDeps } from './deps.ts'
import { rangeOf, untilCaughtUp } from './requests/request-filters.ts'
import type { HandlersOf } from './router.ts'
import { whatIfReply } from './what-if.ts'

export const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MOST_MINUTE_HOURS = 3
const MOST_HOURS = 93 * 24
const MOST_DAYS = 3_660
const MOST_ROW_DAYS = 93
/** Rows of an answer are made on the thread that serves calls: it may not be busy with them for long. */
const MOST_ROWS = 20_000

export function usageHandlers(deps: ManagementDeps): HandlersOf<typeof usageOperations> {
  return {
    async 'usage.get'({ query }, { now }) {
      const { from, to } = rangeOrLastDays(query, now)
      const { interval = null, group_by: groupBy = null } = query
      checkLength(interval, to - from)
      const tag = query.tag === undefined ? null : tagOf(query.tag)
      const filters = filtersOf(query)
      const asked: UsageQuery = { workspace: query.workspace, from, to, now, interval, groupBy, filters, tag }
      if (readsWholeRange(asked)) checkRowsLength(to - from)
      await untilCaughtUp(deps)
      const usage = await readUsage(deps.reads, asked)
      checkRows(usage.rows.length)
      const names = groupBy === 'key' ? await keyNames(deps, query.workspace) : new Map<string, string>()
      return {
        workspace: query.workspace,
        from: timestamp(usage.from),
        to: timestamp(usage.to),
        interval,
        group_by: groupBy,
        data: await mapInTurns(usage.rows, (row) => ({ ...place(row, names), ...toUsageView(row) })),
        total: toUsageView(usage.rows.reduce<UsageSums>(addUsage, NO_SUMS)),
      }
    },
    async 'usage.workspaces'({ query }, { now, access }) {
      const { from, to } = rangeOrLastDays(query, now)
      const { interval = null } = query
      checkLength(interval, to - from)
      await untilCaughtUp(deps)
      const asked = { from, to, now, interval, groupBy: null, filters: {} }
      const rows: (UsageRow & { workspace: string })[] = []
      for (const workspace of await readableWorkspaces(deps.reads, access)) {
        const usage = await readUsage(deps.reads, { ...asked, workspace })
        rows.push(...usage.rows.map((row) => ({ ...row, workspace })))
        checkRows(rows.length)
      }
      return {
        from: timestamp(from),
        to: timestamp(to),
        interval,
        data: await mapInTurns(rows, (row) => ({
          workspace: row.workspace,
          start: timestampOrNull(row.start),
          ...toUsageView(row),
        })),
        total: toUsageView(rows.reduce<UsageSums>(addUsage, NO_SUMS)),
      }
    },
    'usage.what-if': ({ query }, { now }) => whatIfReply(deps, query, rangeOrLastDays(query, now), now),
  }
}

/** Thirty days with today, from the beginning of a day. */
function rangeOrLastDays(query: { from?: string | undefined; to?: string | undefined }, now: number) {
  const given = rangeOf(query)
  const to = given.to ?? now
  const from = given.from ?? Math.floor(to / DAY_MS) * DAY_MS - 29 * DAY_MS
  if (from >= to) throw new GatewayError('invalid_request', 'from: must be earlier than to')
  return { from, to }
}

export function checkRows(rows: number): void {
  if (rows <= MOST_ROWS) return
  throw new GatewayError('invalid_request', `to: more than ${MOST_ROWS} rows; choose a shorter range or interval=day`)
}

/** Those with calls, deleted ones too, that the access covers. */
export async function readableWorkspaces(db: ManagementDeps['reads'], access: Access): Promise<string[]> {
  return (await summedWorkspaces(db)).filter((name) => coversWorkspace(access, name))
}

export function checkLength(interval: UsageInterval | null, duration: number): void {
  if (interval === 'minute' && duration > MOST_MINUTE_HOURS * HOUR_MS) {
    throw new GatewayError(
      'invalid_request',
      `from: interval=minute covers at most ${MOST_MINUTE_HOURS} hours; use interval=hour`,
    )
  }
  if (interval === 'hour' && duration > MOST_HOURS * HOUR_MS) {
    throw new GatewayError(
      'invalid_request',
      `from: interval=hour covers at most ${MOST_HOURS / 24} days; use interval=day`,
    )
  }
  if (interval === 'day' && duration > MOST_DAYS * DAY_MS) {
    throw new GatewayError('invalid_request', `from: interval=day covers at most ${MOST_DAYS} days`)
  }
}

/** Millions of rows take seconds; of one user or session an index finds them. */
function checkRowsLength(duration: number): void {
  if (duration <= MOST_ROW_DAYS * DAY_MS) return
  throw new GatewayError(
    'invalid_request',
    `from: sums by user, session or tag cover at most ${MOST_ROW_DAYS} days; choose a shorter range`,
  )
}

function filtersOf(query: Partial<Record<UsageFilter, string | undefined>>): UsageQuery['filters'] {
  const given: Readonly<Record<string, string | undefined>> = query
  return Object.fromEntries(
    ALL_DIMENSIONS.flatMap((dimension: UsageDimension) => {
      const value = dimension.filter === undefined ? undefined : given[dimension.parameter]
      return value === undefined ? [] : [[dimension.column, value]]
    }),
  )
}

async function keyNames(deps: ManagementDeps, workspace: string): Promise<Map<string, string>> {
  const keys = await deps.reads.selectFrom('keys').select(['id', 'name']).where('workspace', '=', workspace).execute()
  return new Map(keys.map((key) => [key.id, key.name]))
}

function place(row: UsageRow, names: ReadonlyMap<string, string>) {
  const last = row.group.at(-1) ?? ''
  return {
    start: timestampOrNull(row.start),
    group: last === '' || row.isRest ? null : row.group.join('/'),
    name: names.get(last) ?? null,
    is_rest: row.isRest,
  }
}

function toUsageView(sums: UsageSums): z.input<typeof ShownSums> {
  const served = sums.latencies.reduce((sum, count) => sum + count, 0)
  return {
    requests: sums.requests,
    errors: sums.errors,
    fallbacks: sums.fallbacks,
    prompt_tokens: Number(sums.promptTokens),
    completion_tokens: Number(sums.completionTokens),
    cached_tokens: Number(sums.cachedTokens),
    cache_write_tokens: Number(sums.cacheWriteTokens),
    reasoning_tokens: Number(sums.reasoningTokens),
    cost_usd: exactUsd(asPicodollars(sums.costPicodollars)),
    cache_hits: sums.cacheHits,
    saved_usd: exactUsd(asPicodollars(sums.savedPicodollars)),
    unpriced_requests: sums.unpriced,
    latency_ms: {
      average: served === 0 ? null : Math.round(Number(sums.upstreamMs) / served),
      p50: latencyPercentile(sums.latencies, 0.5),
      p95: latencyPercentile(sums.latencies, 0.95),
      p99: latencyPercentile(sums.latencies, 0.99),
    },
    gateway_ms: {
      average: sums.requests === 0 ? null : milliseconds(Number(sums.gatewayMicroseconds) / sums.requests),
      p50: milliseconds(gatewayPercentile(sums.gatewayTimes, 0.5)),
      p95: milliseconds(gatewayPercentile(sums.gatewayTimes, 0.95)),
      p99: milliseconds(gatewayPercentile(sums.gatewayTimes, 0.99)),
    },
  }
}

function milliseconds(microseconds: number | null): number | null {
  return microseconds === null ? null : Math.round(microseconds) / 1000
}
