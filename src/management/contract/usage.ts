import { z } from 'zod'
import { ALL_DIMENSIONS, type UsageDimension, type UsageFilter } from '../../domain/log/usage-dimensions.ts'
import { inWorkspace, Timestamp, Usd } from './fields.ts'
import { operation, streamedOperation } from './operation.ts'
import { Moment, TagFilter } from './requests.ts'
import { AgentSums } from './session-agents.ts'
import { SessionBudget } from './value-budgets.ts'

const milliseconds = z.number().nullable()
const distribution = z.strictObject({ average: milliseconds, p50: milliseconds, p95: milliseconds, p99: milliseconds })
const Interval = z.enum(['minute', 'hour', 'day'])
const LongInterval = z.enum(['hour', 'day'])
const GroupOfAll = z.enum(['workspace', ...ALL_DIMENSIONS.map(({ parameter }) => parameter)])
const Group = z.enum(ALL_DIMENSIONS.map(({ parameter }) => parameter))

const filters = Object.fromEntries(
  ALL_DIMENSIONS.flatMap(({ parameter, filter }: UsageDimension) =>
    filter === undefined ? [] : [[parameter, z.string().max(filter.maxLength).optional().describe(filter.doc)]],
  ),
) as { [Parameter in UsageFilter]: z.ZodOptional<z.ZodString> }

const Advice = z.strictObject({
  kind: z.enum(['cache_used', 'cache', 'output_limit', 'cheaper_model', 'batch']),
  bound: z
    .enum(['exact', 'at_most', 'same_tokens'])
    .describe(
      '`exact`: computed from each call; `at_most`: an upper bound; `same_tokens`: exact if the other model counted and answered alike',
    ),
  route: z.string().nullable(),
  model: z.string().nullable().describe('Of `cheaper_model`: PROVIDER/MODEL'),
  max_output_tokens: z.int().nullable().describe('Of `output_limit`'),
  requests: z.int().describe('Calls that it concerns'),
  saved_usd: z.string().describe('Negative: it cost more than it saved'),
  sentence: z.string(),
})

const sums = {
  requests: z.int(),
  errors: z.int().describe('Calls without a full answer: failures, cut streams, hang-ups and interrupted calls'),
  fallbacks: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_tokens: z.int().describe('Part of prompt_tokens'),
  cache_write_tokens: z.int().describe('Part of prompt_tokens'),
  reasoning_tokens: z.int().describe('Part of completion_tokens'),
  uses: z
    .record(z.string(), z.int())
    .describe('What is not counted in tokens, by the names in `uses` of requests; audio in milliseconds'),
  cost_usd: Usd,
  cache_hits: z.int().describe('Calls answered from the response cache of their route, at no cost and without tokens'),
  saved_usd: Usd.describe('What the answers of those had cost'),
  unconfirmed_estimate_usd: Usd.describe(
    'Estimate of what providers may bill beyond cost_usd, for attempts of unknown usage',
  ),
  unconfirmed_most_usd: Usd.describe('The most that they can bill beyond cost_usd'),
  unconfirmed_counted_usd: Usd.describe('What of it counts in budgets'),
  prompt_cache_saved_usd: z
    .string()
    .describe('What prompt caches of providers saved on these calls; negative: writing to them cost more'),
  resale_usd: Usd.describe('What the price lists of workspaces charge their own customers'),
  unpriced_requests: z.int().describe('Served calls with an unknown price, not included in cost_usd'),
  latency_ms: distribution.describe('Of the attempts that served; the percentiles are estimates from buckets'),
  gateway_ms: distribution.describe('Time spent in the gateway itself, of all calls; percentiles as above'),
}

export const UsageSums = z.strictObject(sums)

const tag = 'Usage'

export const usageOperations = {
  'usage.get': operation({
    role: 'viewer',
    scope: 'workspace',
    method: 'GET',
    path: '/usage',
    tag,
    summary: 'Sums of the request log, by time and by group',
    query: z.strictObject({
      ...inWorkspace,
      from: Moment.optional().describe('Default: the last 30 days, today included'),
      to: Moment.optional().describe('Default: now'),
      interval: Interval.optional().describe(
        'Rows per minute (at most 3 hours), hour (93 days) or day, UTC; left out: one for all',
      ),
      group_by: Group.optional().describe(
        'By `user` or `session` at most 93 days, and the costliest groups: 1,000 of them, 50 with an interval',
      ),
      ...filters,
      tag: TagFilter.optional(),
    }),
    reply: z.strictObject({
      workspace: z.string(),
      from: Timestamp.describe(
        'What the sums cover: the whole hour where its single requests are deleted already; by the minute what is left',
      ),
      to: Timestamp,
      interval: Interval.nullable(),
      group_by: Group.nullable(),
      data: z.array(
        z.strictObject({
          start: Timestamp.nullable().describe('Beginning of the minute, hour or day; null without an interval'),
          group: z
            .string()
            .nullable()
            .describe(
              'PROVIDER/MODEL, alias, key id, provider, code, endpoint, user or session; null: none, direct, no error',
            ),
          name: z.string().nullable().describe('Name of the key'),
          is_rest: z.boolean().describe('All groups but the costliest, as one; only by user or session'),
          ...sums,
        }),
      ),
      total: UsageSums,
    }),
  }),
  'usage.workspaces': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/usage/workspaces',
    tag,
    summary: 'Sums over every workspace that you may read, by time and by group',
    query: z.strictObject({
      from: Moment.optional().describe('Default: the last 30 days, today included'),
      to: Moment.optional().describe('Default: now'),
      interval: LongInterval.optional().describe('Rows per hour (at most 93 days) or day, UTC; left out: one for all'),
      group_by: GroupOfAll.optional().describe(
        'Default: `workspace`. Otherwise the costliest groups: 1,000 of them, 50 with an interval; by `user` or `session` at most 93 days',
      ),
      ...filters,
      tag: TagFilter.optional(),
    }),
    reply: z.strictObject({
      from: Timestamp,
      to: Timestamp,
      interval: LongInterval.nullable(),
      group_by: GroupOfAll,
      data: z.array(
        z.strictObject({
          workspace: z
            .string()
            .nullable()
            .describe('Deleted ones too. By key, route and session that of the group; otherwise null: several'),
          start: Timestamp.nullable().describe('Beginning of the hour or day; null without an interval'),
          group: z.string().nullable().describe('As in `GET /usage`, or the name of the workspace'),
          name: z.string().nullable().describe('Name of the key'),
          is_rest: z.boolean().describe('All groups but the costliest, as one'),
          ...sums,
        }),
      ),
      total: UsageSums,
    }),
  }),
  'usage.session': operation({
    role: 'viewer',
    scope: 'workspace',
    method: 'GET',
    path: '/usage/sessions/{session}',
    tag,
    summary: 'A session of an agent as a tree: what each agent has cost so far, running calls included',
    params: z.strictObject({ session: z.string().min(1).max(128).describe('As a header of its calls names it') }),
    query: z.strictObject({
      ...inWorkspace,
      key: z.string().max(64).optional().describe('Only calls of this key, by id'),
      from: Moment.optional().describe('Only calls started at this time or later; default: 31 days ago'),
    }),
    reply: z.strictObject({
      workspace: z.string(),
      session: z.string(),
      keys: z.array(z.strictObject({ id: z.string(), name: z.string().nullable() })).describe('Whose calls these are'),
      running: z.int().describe('Calls without an end so far'),
      requests: z.int(),
      cost_usd: Usd,
      budgets: z.array(SessionBudget).describe('Budgets for each session; with a token none is shown, nor of agents'),
      first_at: Timestamp,
      last_at: Timestamp,
      agents: z.array(AgentSums),
      is_cut: z.boolean().describe('Only the costliest 1,000 agents are listed and added up'),
    }),
  }),
  'usage.focus': streamedOperation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/usage/focus',
    tag,
    summary: 'Charges of a month of all workspaces as FOCUS 1.2 (CSV), by UTC day, workspace, key, model and class',
    query: z.strictObject({
      month: z
        .string()
        .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'YYYY-MM')
        .describe('UTC, such as 2026-11'),
      part: z
        .enum(['charges', 'unpriced'])
        .default('charges')
        .describe('`unpriced`: the quantities of calls whose price is unknown, which charges leave out'),
    }),
    stream: ['text/csv'],
  }),
  'usage.what-if': operation({
    role: 'viewer',
    scope: 'workspace',
    method: 'GET',
    path: '/usage/what-if',
    tag,
    summary: "What the same calls would have cost at another model's or another date's prices",
    query: z.strictObject({
      ...inWorkspace,
      model: z
        .string()
        .max(600)
        .regex(/^[^/]+\/.+$/, 'PROVIDER/MODEL')
        .optional()
        .describe('PROVIDER/MODEL; left out: each call at its own model, then prices_at is needed'),
      prices_at: Moment.optional().describe('Prices in force at this time; default: now'),
      from: Moment.optional().describe('Default: the last 30 days, today included; at most 93 days'),
      to: Moment.optional().describe('Default: now'),
      key: z.string().max(64).optional(),
      route: z.string().max(64).optional(),
    }),
    reply: z.strictObject({
      workspace: z.string(),
      from: Timestamp,
      to: Timestamp,
      model: z.string().nullable(),
      prices_at: Timestamp,
      price_version: z.int().nullable().describe('Of `model`; null when each call has its own model'),
      data: z.array(z.strictObject({ day: z.iso.date(), requests: z.int(), paid_usd: Usd, what_if_usd: Usd })),
      total: z.strictObject({
        requests: z.int(),
        paid_usd: Usd,
        what_if_usd: Usd,
        difference_usd: z.string().describe('what_if_usd − paid_usd; negative when it would have been cheaper'),
      }),
      unpriced: z
        .array(
          z.strictObject({
            provider: z.string().nullable(),
            model: z.string().nullable(),
            requests: z.int(),
            missing: z.enum(['paid', 'what_if']).describe('Which price is unknown'),
            unit: z.string().nullable().describe('What they used that has no price there; null: tokens'),
          }),
        )
        .describe('Calls that are in neither sum, because one of the two prices is unknown'),
    }),
  }),
  'usage.advice': operation({
    role: 'viewer',
    scope: 'workspace',
    method: 'GET',
    path: '/usage/advice',
    tag,
    summary:
      'What the same calls could have cost less, and how: prompt caching, a lower output limit, another model, batches',
    query: z.strictObject({
      ...inWorkspace,
      from: Moment.optional().describe('Default: the last 30 days, today included; at most 31 days'),
      to: Moment.optional().describe('Default: now'),
      key: z.string().max(64).optional(),
      route: z.string().max(256).optional(),
      max_output_tokens: z.coerce
        .number()
        .int()
        .min(1)
        .max(10_000_000)
        .optional()
        .describe('The output limit to try; default: one that 95 % of the answers keep'),
    }),
    reply: z.strictObject({
      workspace: z.string(),
      from: Timestamp,
      to: Timestamp,
      requests: z.int().describe('Calls that are compared'),
      paid_usd: Usd.describe('What their tokens cost'),
      left_out: z.int().describe('Calls with an unknown price, or with tools that the provider ran'),
      data: z.array(Advice).describe('The largest saving first'),
    }),
  }),
}
