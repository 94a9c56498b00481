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

/** What a key or a workspace may use up; both apply to a call. */
export const Limits = z.strictObject({
  rpm: Count.optional().describe('Requests a minute'),
  tpm: Count.optional().describe('Tokens a minute'),
  max_parallel: Count.optional().describe('Calls at the same time'),
  budget: z
    .strictObject({
      usd: Usd,
      per: z.enum(['day', 'week', 'month', 'total']),
      mode: z.enum(['hard', 'soft']).default('hard'),
    })
    .optional(),
})
export type Limits = z.infer<typeof Limits>

/** As stored: what a schema has accepted before. */
export function limitsFromText(text: string | null): Limits | null {
  return text === null ? null : (JSON.parse(text) as Limits)
}
