import type { UseQueryResult } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { ApiError, Query } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import type { GroupBy } from '../../charts/usage-groups.ts'
import { isComparable, rangeBefore } from '../../format/range.ts'
import { useWorkspace } from '../../shell/place.ts'
import type { Sums, Usage } from './usage-rows.ts'
import { queryRange, type UsageView, utcToday } from './usage-view.ts'

const REFRESH_MS = 30_000
const DAY_MS = 86_400_000
/** The period before is cut at whole five minutes, so that it is not asked for with every refresh. */
const COMPARE_STEP_MS = 300_000

/** The day it is in UTC, as it was when the page was opened. */
export function useToday(): string {
  return useState(() => utcToday(Date.now()))[0]
}

function useRange(view: UsageView) {
  const today = useToday()
  const { firstDay, lastDay } = view
  return useMemo(() => queryRange({ firstDay, lastDay }, today), [firstDay, lastDay, today])
}

/** By time for the chart, in one sum for the table: percentiles cannot be added up. */
export function useUsage(view: UsageView) {
  const range = useRange(view)
  const query = { ...range, ...view.filters }
  // A past range does not change. Sums by user or session are added up from the rows each time.
  const isCostly = ['user', 'session', 'project', 'kind'].includes(view.groupBy)
  const options = { refetchEvery: 'to' in range || isCostly ? undefined : REFRESH_MS }
  const overTime = useSums(view, { ...query, interval: view.interval }, view.groupBy, options)
  const sums = useSums(view, query, view.groupBy, options)
  return { overTime: ofGroup(view, overTime), sums: ofGroup(view, sums), before: useBefore(view, sums.data) }
}

/** While other groups load, the former ones would stand under the new heading: better nothing. */
function ofGroup({ groupBy }: UsageView, query: UseQueryResult<Usage, ApiError>) {
  const { data, error, refetch, isPlaceholderData } = query
  return { data: isPlaceholderData && data?.group_by !== groupBy ? undefined : data, error, refetch }
}

/** Of this workspace, or of all of them. */
function useSums(
  { isAll }: UsageView,
  query: Omit<Query<'usage.workspaces'>, 'group_by'>,
  groupBy: GroupBy | null,
  options: { refetchEvery?: number | undefined; enabled?: boolean },
) {
  const workspace = useWorkspace()
  const enabled = options.enabled ?? true
  const by = groupBy === null || groupBy === 'workspace' ? {} : { group_by: groupBy }
  const one = useOperation(
    'usage.get',
    { query: { workspace, ...query, ...by } },
    { ...options, enabled: enabled && !isAll },
  )
  const all = useOperation(
    'usage.workspaces',
    { query: { ...query, ...by } },
    { ...options, enabled: enabled && isAll },
  )
  return (isAll ? all : one) as UseQueryResult<Usage, ApiError>
}

/** The sums of the period before, up to the same moment. */
function useBefore(view: UsageView, now: { from: string; to: string } | undefined): Sums | undefined {
  const periodMs = view.days * DAY_MS
  const range = now === undefined ? {} : rangeBefore(now, periodMs, COMPARE_STEP_MS)
  const before = useSums(view, { ...range, ...view.filters }, null, { enabled: now !== undefined })
  const isSame =
    now !== undefined && before.data !== undefined && isComparable(now, before.data, periodMs, COMPARE_STEP_MS)
  return isSame ? before.data?.total : undefined
}

/** The values of a filter: what was used in the period. Loaded when the filter is opened. */
export function useUsedGroups(groupBy: GroupBy, view: UsageView, enabled: boolean) {
  return useSums(view, useRange(view), groupBy, { enabled })
}
