import { z } from 'zod'
import { Timestamp, WorkspaceName } from './fields.ts'
import { operation } from './operation.ts'
import { Moment } from './requests.ts'

const tag = 'Performance'

/** Left out: every workspace that the access covers. */
const place = {
  workspace: WorkspaceName.optional().describe('Default: all workspaces that you may read'),
  from: Moment.optional().describe('Default: 7 days before `to`; at most 31 days'),
  to: Moment.optional().describe('Default: now'),
}

const filters = {
  route: z.string().max(64).optional().describe('Only this alias; empty for direct model ids'),
  provider: z.string().max(64).optional().describe('Only this provider'),
  model: z.string().max(512).optional().describe('Only this model of the provider that served'),
}

const Group = z.enum(['model', 'provider', 'route'])
const Interval = z.enum(['minute', 'hour', 'day'])
const interval = Interval.optional().describe(
  'Rows per minute (at most 3 hours), hour or day, UTC; left out: one for all',
)

const milliseconds = z.int().nullable()
const Percentiles = z.strictObject({
  count: z.int().describe('Calls that it is about; all percentiles within 1 %'),
  p50: milliseconds,
  p95: milliseconds,
  p99: milliseconds,
})

const codes = z.record(z.string(), z.int())

const figures = {
  requests: z.int(),
  errors: z.int().describe('Calls without a full answer: failures, cut streams, hang-ups and interrupted calls'),
  codes: codes.describe('The errors by code'),
  duration_ms: Percentiles.describe(
    'From the admission to the end, of calls that were answered in full, cache hits aside',
  ),
  first_content_ms: Percentiles.describe(
    'From the admission to the first content, of streams that had one, cache hits aside',
  ),
}

/** What an answer is about. */
const covered = {
  workspace: z.string().nullable().describe('Null: all that you may read'),
  from: Timestamp.describe('Later than asked for where retention has deleted rows'),
  to: Timestamp,
  interval: Interval.nullable(),
}

const start = Timestamp.nullable().describe('Beginning of the minute, hour or day; null without an interval')

const health = {
  attempts: z.int().describe('Calls of the provider; entries that were skipped are not among them'),
  failures: z.int().describe('Attempts that failed; hang-ups of callers and lost hedges are not among them'),
  rescued: z.int().describe('Failures of calls that another attempt served'),
  skipped: z.int().describe('How often an entry of the provider was skipped'),
  codes: codes.describe('The failures by code'),
}

export const performanceOperations = {
  'performance.get': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/performance',
    tag,
    summary: 'Percentiles of duration and of time to first content, and errors by code, over time and by group',
    query: z.strictObject({
      ...place,
      interval,
      group_by: Group.optional(),
      ...filters,
    }),
    reply: z.strictObject({
      ...covered,
      group_by: Group.nullable(),
      data: z.array(
        z.strictObject({
          start,
          group: z.string().nullable().describe('PROVIDER/MODEL, provider or alias; null: none called, direct'),
          ...figures,
        }),
      ),
      total: z.strictObject(figures),
    }),
  }),
  'performance.providers': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/performance/providers',
    tag,
    summary: 'How the calls of each provider went, over time',
    query: z.strictObject({ ...place, interval, provider: filters.provider }),
    reply: z.strictObject({
      ...covered,
      data: z.array(z.strictObject({ start, provider: z.string(), ...health })),
      total: z.strictObject(health),
    }),
  }),
}
