import { z } from 'zod'
import { Limits } from '../../domain/limits.ts'
import { Name, pageOf, paging, Timestamp, Usd, WorkspaceName } from './fields.ts'
import { operation } from './operation.ts'
import { Moment } from './requests.ts'
import { TemplateBudget } from './value-budgets.ts'

const PeriodMoney = z.strictObject({
  limit_usd: Usd.nullable().describe('Null: the budget is for another period, or there is none'),
  spent_usd: Usd.describe(
    'Costs of the calls that began in this period, with what was confirmed later, and what was spent before it moved in',
  ),
  unconfirmed_usd: Usd.describe('What providers may have billed besides, as far as it counts in budgets'),
  held_usd: Usd.describe('Held for the running calls of this period'),
  opening_usd: Usd.describe('Of it: spent elsewhere before it moved in; only in the period of its budget'),
  remaining_usd: Usd.nullable().describe('limit − spent − unconfirmed − held, never below 0; null without a limit'),
  starts_at: Timestamp.nullable().describe('Null: no start'),
  resets_at: Timestamp.nullable().describe('Null: never'),
})

const scope = {
  scope: z.enum(['workspace', 'key']),
  id: z.string().describe('For a workspace, its name'),
  name: Name.nullable().describe('Null: it has been deleted'),
  workspace: WorkspaceName.nullable(),
}

export const STATES = ['ok', 'near', 'over'] as const

export const Budget = z.strictObject({
  ...scope,
  name: Name,
  workspace: WorkspaceName,
  limits: Limits,
  state: z.enum(STATES).describe('Of the most used limit: near from 80 % or if it has refused calls, over from 100 %'),
  periods: z.strictObject({ day: PeriodMoney, week: PeriodMoney, month: PeriodMoney, total: PeriodMoney }),
  forecast_usd: Usd.nullable().describe(
    'Spend at the end of the budget period at its average pace; null without an end, or early in the period',
  ),
  forecast_low_usd: Usd.nullable().describe(
    'Of a monthly budget: 8 of 10 months end between this and forecast_high_usd, by how its days differ; null before its third whole day',
  ),
  forecast_high_usd: Usd.nullable(),
  values: z
    .array(TemplateBudget)
    .nullable()
    .describe('Its `limits.budgets`, in their order, with how many values they count; null unless asked for'),
  refused_last_day: z
    .int()
    .describe('Calls of the last 24 hours refused by a budget or rate limit; of a workspace, of all its keys'),
  requests_last_minute: z.int(),
  tokens_last_minute: z.int().describe('Maximum use by running calls'),
  in_flight: z.int(),
  leased_usd: Usd.describe('Leased in advance to gateways that share the counters; no call holds it yet'),
})

const LogDifference = z.strictObject({
  id: z.string().nullable().describe('Id of the request; null: the hourly sum of a key'),
  workspace: z.string(),
  key_id: z.string(),
  at: Timestamp.describe('When the call began, or the hour'),
  figure: z.enum(['cost_usd', 'unconfirmed_usd', 'prompt_tokens', 'completion_tokens', 'requests']),
  stored: z.string().nullable().describe('Value in the row or sum; null: unknown'),
  computed: z
    .string()
    .nullable()
    .describe('For a row: its tokens at its price version. For a sum: the total of its rows'),
})

export const Verification = z.strictObject({
  checked: z.int().describe('Keys and workspaces whose counters were recomputed'),
  busy: z.int().describe('Of those: in use at every check, so spent money was only bounded by two readings'),
  differences: z.array(
    z.strictObject({
      ...scope,
      counter: z.string().describe('E.g. `month.spent`, `requests_last_minute`'),
      ledger: z.string().describe("The gateway's counter; money in USD"),
      log: z.string().describe('Total from the request log'),
    }),
  ),
  rows: z
    .strictObject({
      checked: z.int().describe('Requests whose cost was recomputed'),
      unpriced: z.int().describe('Of those: rows with a deleted price version, whose cost cannot be checked'),
      hours: z.int().describe('Hours of workspaces whose sums were compared with their rows'),
      differences: z.array(LogDifference),
    })
    .describe('Of this page'),
  next_cursor: z.string().nullable().describe('Cursor for further rows to check; null: done'),
})

const tag = 'Budgets'

export const budgetOperations = {
  'budgets.list': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/budgets',
    tag,
    summary: 'List every workspace and key that has limits, with their use',
    query: z.strictObject({
      workspace: WorkspaceName.optional().describe('Only this workspace and its keys'),
      state: z
        .enum(['near', 'over'])
        .optional()
        .describe('`near`: only those close to a limit or over it; `over`: only those over it'),
      values: z.stringbool().optional().describe('With the sessions, agents, users, … that their budgets count'),
      ...paging,
    }),
    reply: pageOf(Budget),
  }),
  'verify.ledger': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/verify',
    tag,
    summary: 'Recompute every counter and every cost from the request log and compare',
    query: z.strictObject({
      from: Moment.optional().describe('Only rows from this time on'),
      cursor: paging.cursor.describe('`next_cursor` of the previous answer'),
    }),
    reply: Verification,
  }),
}
