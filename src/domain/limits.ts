import { z } from 'zod'

/** Far above any provider's own limits, and small enough that sums of such counts stay exact. */
const LARGEST_COUNT = 1_000_000_000

const Count = z
  .int(`a whole number from 1 to ${LARGEST_COUNT}`)
  .min(1, 'at least 1; to take a limit away, leave it out')
  .max(LARGEST_COUNT)

const Usd = z
  .string('an amount in USD as a decimal string, for example "50" or "0.25"')
  .regex(/^\d{1,9}(\.\d{1,12})?$/, 'an amount in USD as a decimal string, for example "50" or "0.25"')
  .refine((usd) => /[1-9]/.test(usd), 'more than 0; to take a budget away, leave it out')

/** A default of a workspace, a key or an entry of a chain; the most specific one is sent. */
export const MaxOutputTokens = Count.describe('Sent as the limit of the answer when the caller names none')

/** Shorter answers are cut off more often than they help. */
export const DEFAULT_FIT_AT_LEAST = 256

/** What a key or a workspace may use up; both apply to a call. */
export const Limits = z.strictObject({
  rpm: Count.optional().describe('Requests a minute'),
  tpm: Count.optional().describe('Tokens a minute'),
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
          'When the most a call can cost does not fit into what is left of a hard budget: `refuse` it (if left out), or `fit` it by sending the largest output limit that does',
        ),
      fit_at_least: Count.optional().describe(
        `With \`when_tight\` \`fit\`: a call whose output limit would be lower is refused; ${DEFAULT_FIT_AT_LEAST} if left out`,
      ),
    })
    .refine((budget) => budget.mode === 'hard' || budget.when_tight !== 'fit', {
      path: ['when_tight'],
      error: 'a soft budget refuses nothing, so there is nothing to fit',
    })
    .optional(),
})
export type Limits = z.infer<typeof Limits>
export type Budget = NonNullable<Limits['budget']>

/** As stored: what a schema has accepted before. */
export function limitsFromText(text: string | null): Limits | null {
  return text === null ? null : (JSON.parse(text) as Limits)
}
