import { z } from 'zod'
import { Timestamp } from './fields.ts'

export const OpeningSpend = z.strictObject({
  usd: z.string().describe('USD, a decimal string'),
  at: Timestamp.describe('When it was entered: it counts in the budget period of this moment'),
  note: z.string().nullable(),
})

export const OpeningBody = z.strictObject({
  usd: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,12})?$/, 'an amount in USD as a decimal string, for example "50" or "0.25"')
    .describe('Replaces the amount before; "0" removes it'),
  note: z.string().max(200).optional().describe('Where the figure comes from'),
})
