import { useMemo, useState } from 'react'
import { useOperation } from '../../api/hooks.ts'
import type { GroupBy } from '../../charts/usage-groups.ts'
import { isComparable, rangeBefore } from '../../format/range.ts'
import { useWorkspace } from '../../shell/place.ts'
import type { Sums } from './usage-rows.ts'
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
  const workspace = useWorkspace()
  const range = useRange(view)
  const query = { workspace, ...range, ...view.filters, group_by: view.groupBy }
  // A range that is over does not change any more. Sums by user or session are added up from the rows each time.
  const isCostly = view.groupBy === 'user' || view.groupBy === 'session'
  const options = { refetchEvery: 'to' in range || isCostly ? undefined : REFRESH_MS }
  const overTime = useOperation('usage.get', { query: { ...query, interval: view.interval } }, options)
  const sums = useOperation('usage.get', { query }, options)
  return { overTime, sums, before: useBefore(view, sums.data) }
}

/** The sums of the period before, up to the same moment. */
function useBefore(view: UsageView, now: { from: string; to: string } | undefined): Sums | undefined {
  const workspace = useWorkspace()
  const periodMs = view.days * DAY_MS
  const range = now === undefined ? {} : rangeBefore(now, periodMs, COMPARE_STEP_MS)
  const query = { workspace, ...range, ...view.filters }
  const before = useOperation('usage.get', { query }, { enabled: now !== undefined })
  const isSame =
    now !== undefined && before.data !== undefined && isComparable(now, before.data, periodMs, COMPARE_STEP_MS)
  return isSame ? before.data?.total : undefined
}

/** What a filter can be set to: what has been used in the period. Asked for when somebody looks. */
export function useUsedGroups(groupBy: GroupBy, view: UsageView, enabled: boolean) {
  const workspace = useWorkspace()
  const range = useRange(view)
  return useOperation('usage.get', { query: { workspace, ...range, group_by: groupBy } }, { enabled })
}
