import type { z } from 'zod'
import { type Access, coversWorkspace } from '../domain/access.ts'
import { GatewayError } from '../domain/errors.ts'
import { ALL_DIMENSIONS, type UsageDimension, type UsageFilter } from '../domain/log/usage-dimensions.ts'
import { asPicodollars, exactUsd, signedUsd } from '../domain/pricing/price.ts'
import { tagOf } from '../request-log/search/tag.ts'
import { acrossWorkspaces, type WorkspaceUsageRow } from '../request-log/usage/across-workspaces.ts'
import { readsWholeRange } from '../request-log/usage/attributed.ts'
import type { UsageInterval, UsageQuery, UsageRow } from '../request-log/usage/group-sums.ts'
import { gatewayPercentile, latencyPercentile } from '../request-log/usage/latency.ts'
import { summedWorkspaces } from '../request-log/usage/summed-workspaces.ts'
import { addUsage, NO_SUMS, type UsageSums } from '../request-log/usage/sums.ts'
import { readUsage } from '../request-log/usage/usage.ts'
import { mapInTurns } from '../store/engine/in-turns.ts'
import { adviceReply } from './advice/advice.ts'
import { timestamp, timestampOrNull } from './contract/fields.ts'
import type { UsageSums as ShownSums, usageOperations } from './contract/usage.ts'
import type { ManagementDeps } from './deps.ts'
import { focusExport } from './focus.ts'
import { rangeOf, untilCaughtUp } from './requests/request-filters.ts'
import type { HandlersOf } from './router.ts'
import { keyNames, NO_NAMES } from './usage/key-names.ts'
import { sessionReply } from './usage/session-usage.ts'
import { whatIfReply } from './what-if.ts'

type AllQuery = z.output<(typeof usageOperations)['usage.workspaces']['query']>

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
      const names = groupBy === 'key' ? await keyNames(deps, { workspace: query.workspace }) : NO_NAMES
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
    'usage.workspaces': ({ query }, { now, access }) => allWorkspaces(deps, query, access, now),
    'usage.session': ({ params, query }, { now }) => sessionReply(deps, params.session, query, now),
    'usage.focus': ({ query }, { now }) => focusExport(deps, query.month, query.part, now),
    'usage.advice': ({ query }, { now }) => adviceReply(deps, query, rangeOrLastDays(query, now), now),
    'usage.what-if': ({ query }, { now }) => whatIfReply(deps, query, rangeOrLastDays(query, now), now),
  }
}

const MOST_GROUPS = 1_000
const MOST_GROUPS_OVER_TIME = 50

async function allWorkspaces(deps: ManagementDeps, query: AllQuery, access: Access, now: number) {
  const { from, to } = rangeOrLastDays(query, now)
  const { interval = null, group_by: shownBy = 'workspace' } = query
  checkLength(interval, to - from)
  const groupBy = shownBy === 'workspace' ? null : shownBy
  const tag = query.tag === undefined ? null : tagOf(query.tag)
  const asked = { from, to, now, interval, groupBy, filters: filtersOf(query), tag }
  if (readsWholeRange({ ...asked, workspace: '' })) checkRowsLength(to - from)
  await untilCaughtUp(deps)
  const found: WorkspaceUsageRow[] = []
  for (const workspace of await readableWorkspaces(deps.reads, access)) {
    const usage = await readUsage(deps.reads, { ...asked, workspace })
    found.push(...usage.rows.map((row) => ({ ...row, workspace })))
  }
  const rows = acrossWorkspaces(found, groupBy, interval === null ? MOST_GROUPS : MOST_GROUPS_OVER_TIME)
  checkRows(rows.length)
  const names = groupBy === 'key' ? await keyNames(deps, { ids: rows.map(({ group }) => group[0] ?? '') }) : NO_NAMES
  return {
    from: timestamp(from),
    to: timestamp(to),
    interval,
    group_by: shownBy,
    data: await mapInTurns(rows, (row) => ({
      workspace: row.workspace,
      ...place(groupBy === null ? { ...row, group: [row.workspace ?? ''] } : row, names),
      ...toUsageView(row),
    })),
    total: toUsageView(found.reduce<UsageSums>(addUsage, NO_SUMS)),
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
    uses: usesOf(sums.uses),
    cost_usd: exactUsd(asPicodollars(sums.costPicodollars)),
    cache_hits: sums.cacheHits,
    saved_usd: exactUsd(asPicodollars(sums.savedPicodollars)),
    unconfirmed_estimate_usd: exactUsd(asPicodollars(sums.unconfirmedEstimate)),
    unconfirmed_most_usd: exactUsd(asPicodollars(sums.unconfirmedMost)),
    unconfirmed_counted_usd: exactUsd(asPicodollars(sums.unconfirmedCounted)),
    prompt_cache_saved_usd: signedUsd(sums.promptCacheSaved),
    resale_usd: exactUsd(asPicodollars(sums.resalePicodollars)),
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

/** What was counted and taken back has none left. */
function usesOf(uses: UsageSums['uses']): Record<string, number> {
  const shown: Record<string, number> = {}
  for (const name of Object.keys(uses).sort()) if (uses[name] !== 0n) shown[name] = Number(uses[name])
  return shown
}

function milliseconds(microseconds: number | null): number | null {
  return microseconds === null ? null : Math.round(microseconds) / 1000
}
