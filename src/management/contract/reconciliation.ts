import { z } from 'zod'
import { CORRECTION_KINDS, Correction } from './correction.ts'
import { Name, Timestamp, Usd } from './fields.ts'
import { operation, streamedOperation } from './operation.ts'

const SignedUsd = z.string().describe('USD, exact; negative: they bill less than we booked')

const totals = {
  ours_usd: Usd.describe('Booked in the request log, for what the reports cover'),
  theirs_usd: z.string().describe('USD, of the reports; negative where credits exceed everything else'),
  difference_usd: SignedUsd.describe('theirs − ours'),
  quantity_usd: SignedUsd.describe('Of the difference: other quantities, at our prices'),
  price_usd: SignedUsd.describe('Of the difference: other prices, tiers and rounding'),
  unexplained_usd: SignedUsd.describe('Of the difference: what no cause explains'),
}

const SettlesAt = Timestamp.describe('From then on the report is expected not to change')

const Cause = z.strictObject({
  cause: z.string().describe('`missing_rows`, `unconfirmed`, `foreign`, `tier`, `price` …; see docs/reconciliation.md'),
  amount_usd: SignedUsd,
  sentence: z.string(),
  examples: z
    .array(
      z.strictObject({
        period: z.string(),
        model: z.string().nullable(),
        amount_usd: SignedUsd,
        from: Timestamp,
        to: Timestamp,
        request_ids: z.array(z.string()).describe('Calls of ours that may be meant'),
      }),
    )
    .describe('The largest'),
})

const Import = z.strictObject({
  id: z.string(),
  source: z.string(),
  provider: z.string(),
  name: z.string().describe('Name of the file'),
  sha256: z.string(),
  lines: z.int(),
  starts_at: Timestamp,
  ends_at: Timestamp,
  imported_at: Timestamp,
  imported_by: z.string(),
})

const Month = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'YYYY-MM')
  .optional()
  .describe('YYYY-MM; default: the present month')

const Accounts = z.array(z.string()).describe('Keys, projects or workspaces of the vendor whose lines these are')

const tag = 'Reconciliation'
const Provider = Name.describe('Provider of this gateway that the report is about')

export const reconciliationOperations = {
  'reconciliation.get': operation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/reconciliation',
    tag,
    summary: 'Compare the request log with the imported reports of a month, and say why they differ',
    query: z.strictObject({
      month: Month,
      provider: Name.optional(),
    }),
    reply: z.strictObject({
      month: z.string(),
      data: z.array(
        z.strictObject({
          provider: z.string(),
          accounts: Accounts,
          ...totals,
          causes: z.array(Cause),
          periods: z.array(
            z.strictObject({
              period: z.string().describe('A day in the zone of the report, or a longer period of it'),
              ...totals,
              settles_at: SettlesAt,
            }),
          ),
          cells: z
            .array(
              z.strictObject({
                period: z.string(),
                model: z.string().nullable().describe('Null: lines that belong to no model'),
                accounts: Accounts,
                from: Timestamp,
                to: Timestamp,
                ...totals,
                settles_at: SettlesAt,
                causes: z.array(Cause),
                unconfirmed: z
                  .strictObject({
                    open_calls: z.int(),
                    open_most_usd: Usd,
                    billed_usd: Usd.describe('Of the difference, what the report bills for such calls'),
                    keys: z
                      .array(z.strictObject({ id: z.string(), name: z.string().nullable(), open_calls: z.int() }))
                      .describe('Gateway keys whose calls these are; the name is null where the key is gone'),
                  })
                  .nullable()
                  .describe('Calls neither confirmed nor released; null: there are none'),
              }),
            )
            .describe('The same by period and model'),
        }),
      ),
      foreign_accounts: z
        .array(
          z.strictObject({
            provider: z.string().describe('That the report was imported for'),
            account: z.string(),
            amount_usd: SignedUsd.nullable().describe('In none of the sums above; null: the report names no money'),
            tokens: z.int(),
            requests: z.int(),
            models: z.array(z.string()),
            days: z.int(),
          }),
        )
        .describe('Keys, projects and workspaces of the vendor that no provider of this gateway has'),
      proposals: z
        .array(z.strictObject({ provider: z.string(), name: z.string(), model: z.string() }))
        .describe('Names in reports that may be models of ours'),
      deleted_before: Timestamp.nullable().describe(
        'Requests before it are deleted, so reports of that time are left out; null: none are',
      ),
    }),
  }),
  'reconciliation.export': streamedOperation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/reconciliation/export',
    tag,
    summary: 'The comparison of a month as CSV: a line for each day, provider and model',
    query: z.strictObject({ month: Month, provider: Name.optional() }),
    stream: ['text/csv'],
  }),
  'reconciliation.correct': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/reconciliation/corrections',
    tag,
    summary: 'Confirm what reports bill for the unconfirmed calls of a provider, or release them',
    status: 201,
    body: z.strictObject({
      kind: z
        .enum(CORRECTION_KINDS)
        .describe(
          '`confirmed`: what the report bills for them, divided by what each can have cost; `released`: it bills nothing for them',
        ),
      provider: Name,
      period: z
        .string()
        .min(7)
        .max(40)
        .describe('As the comparison names it, such as 2026-11-04; a month, such as 2026-11, is all of its days'),
      model: z.string().min(1).max(300).optional().describe('As the comparison names it; default: every model'),
      key: z.string().min(1).max(64).optional().describe('Id of a gateway key: only its calls; default: every key'),
      reason: z.string().trim().min(3).max(500).describe('Why, for the audit log'),
    }),
    reply: z.strictObject({ data: z.array(Correction) }),
  }),
  'reports.list': operation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/reports',
    tag,
    summary: 'List imported reports of providers',
    reply: z.strictObject({
      data: z.array(Import),
      sources: z.array(z.string()).describe('Forms of reports that can be imported'),
    }),
  }),
  'reports.import': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/reports',
    tag,
    summary: "Import a provider's usage or cost report; the same file again changes nothing",
    body: z.strictObject({
      source: z.string().max(40).describe('Form of the report: `csv`, `focus` …; see docs/reconciliation.md'),
      provider: Provider,
      file_name: z.string().max(200).default('report').describe('For the list'),
      text: z.string().min(1).describe('The content of the file'),
      accounts: z
        .array(z.string().max(200))
        .max(100)
        .default([])
        .describe('Only lines of these keys, projects or workspaces of the provider; default: all'),
      rates: z
        .record(z.string().regex(/^[A-Z]{3}$/), z.string().regex(/^\d{1,9}(\.\d{1,12})?$/))
        .default({})
        .describe('USD for one unit of another currency, by its code'),
      replace: z.boolean().default(false).describe('Replace lines of the same source, account and days'),
    }),
    reply: z.strictObject({
      import: Import,
      added: z.int(),
      unchanged: z.int(),
      replaced: z.int(),
    }),
  }),
  'reports.delete': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'DELETE',
    path: '/reports/{id}',
    tag,
    summary: 'Delete an imported report with its lines',
    params: z.strictObject({ id: z.string().max(64) }),
  }),
  'report-models.list': operation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/report-models',
    tag,
    summary: 'List what names of models in reports stand for',
    reply: z.strictObject({
      data: z.array(z.strictObject({ provider: z.string(), name: z.string(), model: z.string() })),
    }),
  }),
  'report-models.put': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'PUT',
    path: '/report-models',
    tag,
    summary: 'Say which model a name in reports stands for',
    body: z.strictObject({
      provider: Provider,
      report_name: z.string().min(1).max(300).describe('As the report writes it'),
      model: z.string().min(1).max(300).nullable().describe('Model of this gateway; null: as the report writes it'),
    }),
    reply: z.strictObject({
      data: z.array(z.strictObject({ provider: z.string(), name: z.string(), model: z.string() })),
    }),
  }),
}
