import { z } from 'zod'
import { Timestamp } from './fields.ts'
import { operation, streamedOperation } from './operation.ts'

const SignedUsd = z.string().describe('USD, exact; may be negative')
const State = z.enum(['open', 'closed'])

const close = {
  closed_at: Timestamp.nullable(),
  closed_by: z.string().nullable(),
  sha256: z.string().nullable().describe('Of the books as `format=text` has them'),
}

const sums = { requests: z.int(), cost_usd: SignedUsd }

const BooksOfMonth = z.strictObject({
  month: z.string(),
  state: State.describe('`open`: what a close would freeze now'),
  ...close,
  comment: z.string().nullable(),
  previous_sha256: z.string().nullable().describe('Of the month that was closed before'),
  verified: z.boolean().nullable().describe('The stored books still have this hash; null: not closed'),
  total_usd: SignedUsd.describe('usage + late + corrections'),
  usage_usd: SignedUsd.describe('Calls of this month'),
  late_usd: SignedUsd.describe('Calls of closed months that reached the log after their close'),
  corrections_usd: SignedUsd,
  unconfirmed_estimate_usd: SignedUsd.describe('Not part of the total'),
  unconfirmed_most_usd: SignedUsd,
  workspaces: z.array(z.strictObject({ workspace: z.string(), ...sums })),
  keys: z.array(
    z.strictObject({ workspace: z.string(), key_id: z.string(), key_name: z.string().nullable(), ...sums }),
  ),
  providers: z.array(z.strictObject({ provider: z.string().describe('Empty: refused before any provider'), ...sums })),
  late: z.array(
    z.strictObject({
      month: z.string().describe('In which the calls began'),
      workspace: z.string(),
      key_id: z.string(),
      key_name: z.string().nullable(),
      provider: z.string(),
      ...sums,
    }),
  ),
  corrections: z.array(
    z.strictObject({
      id: z.string(),
      month: z.string().describe('Of the call that it is about'),
      workspace: z.string(),
      key_id: z.string(),
      provider: z.string().nullable(),
      model: z.string().nullable(),
      kind: z.string(),
      cost_usd: SignedUsd,
      reason: z.string(),
      actor: z.string(),
      created_at: Timestamp,
      request_id: z.string().nullable(),
    }),
  ),
  differences: z
    .array(
      z.strictObject({
        provider: z.string(),
        days: z.int().describe('Days, or longer periods, that reports cover'),
        ours_usd: SignedUsd,
        theirs_usd: SignedUsd,
        difference_usd: SignedUsd.describe('theirs − ours'),
        quantity_usd: SignedUsd,
        price_usd: SignedUsd,
        unexplained_usd: SignedUsd,
        causes: z.array(z.strictObject({ cause: z.string(), amount_usd: SignedUsd, sentence: z.string() })),
        reports: z.array(
          z.strictObject({
            id: z.string(),
            source: z.string(),
            name: z.string(),
            sha256: z.string(),
            imported_at: Timestamp,
            imported_by: z.string(),
          }),
        ),
      }),
    )
    .describe('By provider with reports; of others nothing is known'),
  foreign_accounts: z
    .array(z.strictObject({ provider: z.string(), account: z.string(), theirs_usd: SignedUsd.nullable() }))
    .describe('What reports bill for keys that no provider of this gateway has'),
  overrides: z
    .array(z.strictObject({ sentence: z.string(), reason: z.string(), by: z.string() }))
    .describe('What was known to be wrong when it was closed, why it was closed anyway, and by whom'),
  rows_deleted_before: Timestamp.nullable().describe(
    'Requests of the month before it are deleted by now, so an export has only their sums; null: every row is there',
  ),
  blockers: z
    .array(
      z.strictObject({
        sentence: z.string(),
        possible_from: Timestamp.nullable().describe('Null: something has to be done first'),
        can_override: z.boolean().describe('It can be closed anyway, with a reason'),
      }),
    )
    .describe('Why it cannot be closed now'),
})

const tag = 'Months'
const params = z.strictObject({ month: z.string().max(64).describe('UTC, such as 2026-10') })

export const monthOperations = {
  'months.list': operation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/months',
    tag,
    summary: 'List months with their costs, and which of them are closed',
    reply: z.strictObject({
      data: z.array(
        z.strictObject({
          month: z.string(),
          state: State,
          total_usd: SignedUsd.describe('As it was closed; of an open month what its calls have cost so far'),
          ...close,
        }),
      ),
    }),
  }),
  'months.get': operation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/months/{month}',
    tag,
    summary: 'Show the books of a closed month, or what closing it would freeze now',
    params,
    reply: BooksOfMonth,
  }),
  'months.close': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/months/{month}/close',
    tag,
    summary: 'Close a month: its books are frozen with a hash, and what comes later belongs to the next month',
    params,
    body: z.strictObject({
      comment: z.string().max(1000).optional().describe('Frozen with the books'),
      override: z
        .string()
        .trim()
        .min(3)
        .max(500)
        .optional()
        .describe('Why to close it although rows are missing or have wrong costs; frozen with your name'),
    }),
    reply: BooksOfMonth,
  }),
  'months.export': streamedOperation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/months/{month}/export',
    tag,
    summary: 'Export a closed month as CSV, as FOCUS 1.2 with the same totals, or as the text that was hashed',
    params,
    query: z.strictObject({
      format: z
        .enum(['csv', 'focus', 'text'])
        .default('csv')
        .describe('`csv`: its lines by workspace, key and provider; `focus`: charges by day; `text`: what was hashed'),
    }),
    stream: ['text/csv', 'text/plain'],
  }),
}
