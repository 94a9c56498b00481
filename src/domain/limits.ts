import { z } from 'zod'
import { PERIODS } from './budgets/budget-period.ts'
import { Each } from './budgets/each.ts'
import { UNCONFIRMED_POLICIES } from './pricing/unconfirmed.ts'

/** Far above any provider's limits, and small enough that sums stay exact. */
const LARGEST_COUNT = 1_000_000_000

const Count = z
  .int(`a whole number from 1 to ${LARGEST_COUNT}`)
  .min(1, 'at least 1; omit the field to remove the limit')
  .max(LARGEST_COUNT)

const Usd = z
  .string('an amount in USD as a decimal string, for example "50" or "0.25"')
  .regex(/^\d{1,9}(\.\d{1,12})?$/, 'an amount in USD as a decimal string, for example "50" or "0.25"')
  .refine((usd) => /[1-9]/.test(usd), 'more than 0; omit the field to remove the budget')

/** A default of a workspace, a key or an entry of a chain; the most specific one is sent. */
export const MaxOutputTokens = Count.describe('Output limit that is sent when the caller sends none')

/** A shorter answer is rarely useful. */
export const DEFAULT_FIT_AT_LEAST = 256

const WHEN_TIGHT = z
  .enum(['refuse', 'fit', 'step_down'])
  .optional()
  .describe(
    'When the maximum cost of a call exceeds what is left of a hard budget: `refuse` the call (the default), `fit` it by sending the largest output limit that fits, or `step_down` to the cheaper entries of its route (or of `step_down_to`) that fit',
  )

const BUDGET = {
  usd: Usd,
  per: z.enum(PERIODS),
  mode: z.enum(['hard', 'soft']).default('hard'),
  when_tight: WHEN_TIGHT,
  fit_at_least: Count.optional().describe(
    `With \`when_tight\` \`fit\`: a call whose output limit would be lower is refused; default ${DEFAULT_FIT_AT_LEAST}`,
  ),
  step_down_to: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('With `when_tight` `step_down`: the route alias of the workspace whose entries serve then'),
  warn_at: z
    .int('a whole number of percent from 1 to 99')
    .min(1)
    .max(99)
    .optional()
    .describe('From so many percent on, callers get the header `x-gateway-budget-warning` and an alert fires once'),
}

interface Sized {
  mode?: 'hard' | 'soft' | undefined
  when_tight?: 'refuse' | 'fit' | 'step_down' | undefined
  step_down_to?: string | undefined
}

const isHardOrRefuses = ({ mode, when_tight: tight }: Sized) =>
  mode !== 'soft' || tight === undefined || tight === 'refuse'
const SOFT_IS_LOOSE = {
  path: ['when_tight'],
  error: 'a soft budget refuses nothing; remove when_tight or make the budget hard',
}
const namesNoRouteInVain = ({ when_tight: tight, step_down_to: route }: Sized) =>
  route === undefined || tight === 'step_down'
const NAMED_IN_VAIN = { path: ['step_down_to'], error: 'only with when_tight: step_down' }

/** Of the budgets of one key or workspace. */
export const MOST_BUDGETS = 8

const Budgets = z
  .array(
    z
      .strictObject({
        each: Each.optional().describe(
          'A budget for each value of: `session`, `agent` (each sub-agent, with those it starts), `user`, `project`, `tag:NAME`, or `key` (each key of the workspace). Without it: one more budget of the key or workspace itself, for example by the day beside one by the month',
        ),
        ...BUDGET,
      })
      .refine(isHardOrRefuses, SOFT_IS_LOOSE)
      .refine(namesNoRouteInVain, NAMED_IN_VAIN),
  )
  .max(MOST_BUDGETS)
  .refine((budgets) => new Set(budgets.map(({ each, per }) => `${each} ${per}`)).size === budgets.length, {
    error: 'two budgets have the same each and per; state the lower one',
  })

/** Of a key and of a workspace; both apply to a call. */
const LIMITS = {
  rpm: Count.optional().describe('Requests per minute'),
  tpm: Count.optional().describe('Tokens per minute'),
  max_parallel: Count.optional().describe('Calls at the same time'),
  max_output_tokens: MaxOutputTokens.optional(),
  budget: z
    .strictObject(BUDGET)
    .refine(isHardOrRefuses, SOFT_IS_LOOSE)
    .refine(namesNoRouteInVain, NAMED_IN_VAIN)
    .optional(),
  budgets: Budgets.optional().describe(
    'More budgets, all of which a call must fit: for each session, agent, user, project or value of a tag, or for further periods',
  ),
}

/** What a workspace may use. */
export const Limits = z.strictObject({
  ...LIMITS,
  unconfirmed: z
    .enum(UNCONFIRMED_POLICIES)
    .optional()
    .describe(
      'How much of the spend that no provider has confirmed counts in budgets of the workspace and its keys: all that can be billed (`bound`, the default), the `estimate`, or nothing (`ignore`)',
    ),
})

/** What a key may use. */
export const KeyLimits = z
  .strictObject(LIMITS, {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys' && (keys as string[]).includes('unconfirmed')
        ? 'unconfirmed is a setting of the workspace; set it in the limits of the workspace'
        : undefined,
  })
  .refine(({ budgets = [] }) => budgets.every(({ each }) => each !== 'key'), {
    path: ['budgets'],
    error: 'each: key is for the budgets of a workspace; the budget of one key has no each',
  })

type Stated = z.infer<typeof Limits>
/**
 * What no operator states as a limit: spent before the scope moved in (budgets/opening-spend.ts), in USD; and what was
 * corrected (budgets/corrections.ts), in picodollars.
 */
interface Shifts {
  opening?: string
  charged?: string
  released?: string
  /** Raised for a while (budgets/raises.ts), in USD. */
  raised?: string
}

export type Budget = NonNullable<Stated['budget']> & Shifts
/** One of several, mostly for each value of something. */
export type EachBudget = NonNullable<Stated['budgets']>[number]
export type Limits = Omit<Stated, 'budget'> & { budget?: Budget | undefined }

/** As an operator set them. */
export function statedLimits(limits: Limits): Stated {
  if (limits.budget === undefined) return limits
  const { opening, charged, raised, ...rest } = limits.budget
  if (opening === undefined && charged === undefined && raised === undefined) return limits
  const { released: _, ...budget } = rest
  return { ...limits, budget }
}

/** As stored, after a schema has accepted it. */
export function limitsFromText(text: string | null): Limits | null {
  return text === null ? null : (JSON.parse(text) as Limits)
}
