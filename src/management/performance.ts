import type { Access } from '../domain/access.ts'
import { GatewayError } from '../domain/errors.ts'
import { percentilesOf } from '../request-log/performance/histogram.ts'
import {
  type AttemptFigures,
  type CallFigures,
  createPerformanceReader,
  type PerformanceRange,
} from '../request-log/performance/performance.ts'
import { mapInTurns } from '../store/engine/in-turns.ts'
import { checkCovered } from './access/permit.ts'
import { timestamp, timestampOrNull } from './contract/fields.ts'
import type { performanceOperations } from './contract/performance.ts'
import type { ManagementDeps } from './deps.ts'
import { rangeOf, untilCaughtUp } from './requests/request-filters.ts'
import type { HandlersOf } from './router.ts'
import { checkLength, checkRows, DAY_MS, readableWorkspaces } from './usage.ts'

const USUAL_DAYS = 7
/** Every row of the range is read once. */
const MOST_DAYS = 31

export function performanceHandlers(deps: ManagementDeps): HandlersOf<typeof performanceOperations> {
  const reader = createPerformanceReader()
  return {
    async 'performance.get'({ query }, { now, access }) {
      const { route, provider, model, group_by: groupBy = null } = query
      const range = await asked(deps, query, now, access)
      const filters = Object.fromEntries(
        Object.entries({ route, provider, model }).filter(([, value]) => value !== undefined),
      )
      const found = await reader.calls(deps.reads, { ...range, groupBy, filters })
      checkRows(found.rows.length)
      return {
        ...covered(query, found),
        group_by: groupBy,
        data: await mapInTurns(found.rows, ({ start, group, figures }) => ({
          start: timestampOrNull(start),
          group: (group.at(-1) ?? '') === '' ? null : group.join('/'),
          ...toCallsView(figures),
        })),
        total: toCallsView(found.total),
      }
    },
    async 'performance.providers'({ query }, { now, access }) {
      const range = await asked(deps, query, now, access)
      const found = await reader.attempts(deps.reads, { ...range, provider: query.provider ?? null })
      checkRows(found.rows.length)
      return {
        ...covered(query, found),
        data: found.rows.map(({ start, group, figures }) => ({
          start: timestampOrNull(start),
          provider: group.join('/'),
          ...toAttemptsView(figures),
        })),
        total: toAttemptsView(found.total),
      }
    },
  }
}

interface Query {
  workspace?: string | undefined
  from?: string | undefined
  to?: string | undefined
  interval?: 'minute' | 'hour' | 'day' | undefined
}

async function asked(deps: ManagementDeps, query: Query, now: number, access: Access): Promise<PerformanceRange> {
  if (query.workspace !== undefined) checkCovered(access, query.workspace)
  const given = rangeOf(query)
  const to = Math.min(given.to ?? now, now)
  const from = given.from ?? to - USUAL_DAYS * DAY_MS
  const { interval = null } = query
  if (from >= to) throw new GatewayError('invalid_request', 'from: must be earlier than to, and not in the future')
  if (to - from > MOST_DAYS * DAY_MS) {
    throw new GatewayError('invalid_request', `from: at most ${MOST_DAYS} days; choose a shorter range`)
  }
  checkLength(interval, to - from)
  await untilCaughtUp(deps)
  const readable = await readableWorkspaces(deps.reads, access)
  const workspaces = readable.filter((name) => query.workspace === undefined || name === query.workspace)
  return { workspaces, from, to, interval }
}

function covered({ workspace, interval }: Query, { from, to }: { from: number; to: number }) {
  return { workspace: workspace ?? null, from: timestamp(from), to: timestamp(to), interval: interval ?? null }
}

function toCallsView({ requests, codes, durations, firstContents }: CallFigures) {
  return {
    requests,
    errors: [...codes.values()].reduce((sum, count) => sum + count, 0),
    codes: Object.fromEntries(codes),
    duration_ms: percentilesOf(durations),
    first_content_ms: percentilesOf(firstContents),
  }
}

function toAttemptsView({ codes, ...figures }: AttemptFigures) {
  return { ...figures, codes: Object.fromEntries(codes) }
}
