import { z } from 'zod'
import { PERIODS } from '../../domain/budgets/budget-period.ts'
import { Timestamp, Usd } from './fields.ts'

/** How a budget stands. */
export const budgetUse = {
  limit_usd: Usd.describe('With what it is raised by now'),
  spent_usd: Usd.describe('In the present period, with unconfirmed spend as far as it counts'),
  held_usd: Usd.describe('Held for running calls'),
  remaining_usd: Usd.describe('limit − spent − held, never below 0'),
  resets_at: Timestamp.nullable().describe('Null: never'),
}

/** A budget for each value of something, or for a further period. */
export const TemplateBudget = z.strictObject({
  each: z
    .string()
    .nullable()
    .describe('`session`, `agent`, `user`, `project`, `key` or `tag:NAME`; null: the key or workspace itself'),
  per: z.enum(PERIODS),
  mode: z.enum(['hard', 'soft']),
  limit_usd: Usd.describe('Of each value, without raises'),
  live: z.int().describe('Values that have cost something in this period since yesterday 00:00 UTC'),
  tightest: z
    .array(
      z.strictObject({
        value: z.string().nullable().describe('Null: `key_id`, or without one the workspace'),
        session: z.string().nullable().describe('Of an agent'),
        key_id: z.string().nullable().describe('The key by which it is counted; null: of all keys of the workspace'),
        key: z.string().nullable().describe('Its name'),
        ...budgetUse,
      }),
    )
    .describe('Of the costliest live values at most five, the least left first'),
})

/** A budget of the key itself. */
export const OwnBudget = z.strictObject({ per: z.enum(PERIODS), mode: z.enum(['hard', 'soft']), ...budgetUse })

/** A budget for each session or agent, as it stands for one of them. */
export const SessionBudget = z.strictObject({
  scope: z.enum(['workspace', 'key']).describe('Whose limits have it'),
  key_id: z.string().describe('The key by which it is counted'),
  per: z.enum(PERIODS),
  mode: z.enum(['hard', 'soft']),
  ...budgetUse,
})
