import { z } from 'zod'
import { Timestamp, WorkspaceName } from './fields.ts'

export const CORRECTION_KINDS = ['confirmed', 'released'] as const

export const Correction = z.strictObject({
  id: z.string(),
  created_at: Timestamp,
  actor: z.string().describe('Who made it'),
  kind: z
    .enum([...CORRECTION_KINDS, 'withdrawn'])
    .describe('`withdrawn`: takes back a correction of an interrupted call whose gateway reported another end later'),
  reason: z.string(),
  source: z.string().nullable().describe('Where the figure comes from, such as a report'),
  request_id: z.string().nullable(),
  workspace: WorkspaceName,
  key_id: z.string(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  charged_at: Timestamp.describe('When the call began: it counts in the budget periods of this moment'),
  cost_usd: z
    .string()
    .describe('USD beyond the cost of the row; 0 where it was released, negative where it is taken back'),
  counted_usd: z.string().describe('USD; by how much more budgets count than the row says, negative: less'),
})
