import { z } from 'zod'

/** What a key may use up. Accepted and kept now; enforced when limits arrive. */
export const Limits = z.strictObject({
  rpm: z.int().positive().optional().describe('Requests a minute'),
  tpm: z.int().positive().optional().describe('Tokens a minute'),
  max_parallel: z.int().positive().optional().describe('Calls at the same time'),
  budget: z
    .strictObject({
      usd: z.string().regex(/^\d{1,9}(\.\d{1,12})?$/, 'an amount in USD as a decimal string'),
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
