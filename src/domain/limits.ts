import { z } from 'zod'
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

/** Of a key and of a workspace; both apply to a call. */
const LIMITS = {
  rpm: Count.optional().describe('Requests per minute'),
  tpm: Count.optional().describe('Tokens per minute'),
  max_parallel: Count.optional().describe('Calls at the same time'),
  max_output_tokens: MaxOutputTokens.optional(),
  budget: z
    .strictObject({
      usd: Usd,
      per: z.enum(['day', 'week', 'month', 'total']),
      mode: z.enum(['hard', 'soft']).default('hard'),
      when_tight: z
        .enum(['refuse', 'fit'])
        .optional()
        .describe(
          'When the maximum cost of a call exceeds what is left of a hard budget: `refuse` the call (the default), or `fit` it by sending the largest output limit that fits',
        ),
      fit_at_least: Count.optional().describe(
        `With \`when_tight\` \`fit\`: a call whose output limit would be lower is refused; default ${DEFAULT_FIT_AT_LEAST}`,
      ),
    })
    .refine((budget) => budget.mode === 'hard' || budget.when_tight !== 'fit', {
      path: ['when_tight'],
      error: 'a soft budget refuses nothing; remove when_tight or make the budget hard',
    })
    .optional(),
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
export const KeyLimits = z.strictObject(LIMITS, {
  error: ({ code, keys }) =>
    code === 'unrecognized_keys' && (keys as string[]).includes('unconfirmed')
      ? 'unconfirmed is a setting of the workspace; set it in the limits of the workspace'
      : undefined,
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
}

export type Budget = NonNullable<Stated['budget']> & Shifts
export type Limits = Omit<Stated, 'budget'> & { budget?: Budget | undefined }

/** As an operator set them. */
export function statedLimits(limits: Limits): Stated {
  if (limits.budget === undefined) return limits
  const { opening, charged, ...rest } = limits.budget
  if (opening === undefined && charged === undefined) return limits
  const { released: _, ...budget } = rest
  return { ...limits, budget }
}

/** As stored, after a schema has accepted it. */
export function limitsFromText(text: string | null): Limits | null {
  return text === null ? null : (JSON.parse(text) as Limits)
}
