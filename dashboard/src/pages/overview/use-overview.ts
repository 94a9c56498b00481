import type { UseQueryResult } from '@tanstack/react-query'
import type { ApiError, Reply } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import type { Period } from '../../charts/periods.ts'
import { isComparable, rangeBefore } from '../../format/range.ts'
import { useWorkspace } from '../../shell/place.ts'

export const REFRESH_MS = 10_000

export type Usage = Reply<'usage.get'>
export type Sums = Usage['total']
export type StatusQuery = UseQueryResult<Reply<'status.get'>, ApiError>

/** Sums of this period and of the one before, up to the same moment of it as the gateway's clock says. */
export function useSums(period: Period, from: string) {
  const workspace = useWorkspace()
  const now = useOperation(
    'usage.get',
    { query: { workspace, from, interval: period.interval } },
    { refetchEvery: REFRESH_MS },
  )
  const range = now.data ?? null
  const before = useOperation(
    'usage.get',
    { query: { workspace, ...(range === null ? {} : rangeBefore(range, period.lengthMs, period.compareStepMs)) } },
    { enabled: range !== null },
  )
  const isSame =
    range !== null &&
    before.data !== undefined &&
    isComparable(range, before.data, period.lengthMs, period.compareStepMs)
  return { now, before: isSame ? before.data?.total : undefined }
}

/** The same period by model or route, for the charts: asked for after the figures that matter most. */
export function useGroups(groupBy: 'model' | 'route', period: Period, from: string, enabled: boolean) {
  const workspace = useWorkspace()
  return useOperation(
    'usage.get',
    { query: { workspace, from, interval: period.groupInterval, group_by: groupBy } },
    { refetchEvery: period.groupRefreshMs, enabled },
  )
}
