import type { Reply } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import { useWorkspace } from '../../shell/place.ts'
import { asked, besides, type PerformanceView } from './performance-view.ts'

export type Performance = Reply<'performance.get'>
export type Figures = Performance['total']
export type Health = Reply<'performance.providers'>

/** The gateway reads the rows of the hour that runs again each time: not every few seconds. */
const REFRESH_MS = 30_000
const SLOWEST = 6

/** Everything over time, the groups, the slowest requests and the providers; percentiles cannot be added up, so each is asked for. */
export function usePerformance({ period, by, filters }: PerformanceView, from: string) {
  const workspace = useWorkspace()
  const { interval } = period
  const options = { refetchEvery: REFRESH_MS }
  const only = asked(filters)
  const place = { workspace, from }
  const overTime = useOperation('performance.get', { query: { ...place, ...only, interval } }, options)
  // Asked for after what is seen first.
  const later = { ...options, enabled: overTime.data !== undefined }
  const groups = { ...place, ...asked(besides(by, filters)), group_by: by }
  return {
    overTime,
    groups: useOperation('performance.get', { query: groups }, later),
    slowest: useOperation('requests.list', { query: { ...place, ...only, sort: 'slowest', limit: SLOWEST } }, later),
    providers: useOperation('performance.providers', { query: { ...place, interval } }, later),
    workspaces: useOperation('usage.workspaces', { query: { from } }, later),
  }
}
