import { z } from 'zod'
import { CORRECTION_KINDS, Correction } from './correction.ts'
import { pageOf, paging, Usd, WorkspaceName } from './fields.ts'
import { operation } from './operation.ts'
import { Moment } from './requests.ts'

const tag = 'Budgets'

export const correctionOperations = {
  'corrections.list': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/corrections',
    tag,
    summary: 'List what became of unconfirmed spend, the newest first',
    query: z.strictObject({
      workspace: WorkspaceName.optional().describe('Only of this workspace'),
      from: Moment.optional().describe('Made at this time or later'),
      to: Moment.optional().describe('Made before this time'),
      ...paging,
    }),
    reply: pageOf(Correction),
  }),
  'corrections.create': operation({
    role: 'admin',
    scope: 'rows',
    method: 'POST',
    path: '/corrections',
    tag,
    summary: 'Confirm or release the unconfirmed spend of calls; rows stay as they are',
    status: 201,
    body: z.strictObject({
      kind: z
        .enum(CORRECTION_KINDS)
        .describe('`confirmed`: the provider has billed it; `released`: it has not, and budgets no longer count it'),
      request_ids: z
        .array(z.string().min(1).max(64))
        .min(1)
        .max(500)
        .refine((ids) => new Set(ids).size === ids.length, 'names a request twice')
        .describe('Requests with unconfirmed spend, all or none'),
      usd: Usd.optional().describe(
        'What was billed beyond the cost of the row, with `confirmed`, which then takes one request; default: all that can be billed',
      ),
      reason: z.string().trim().min(3).max(500).describe('Why, for the audit log'),
      source: z.string().max(200).optional().describe('Where the figure comes from, such as an invoice number'),
    }),
    reply: z.strictObject({ data: z.array(Correction) }),
  }),
}
