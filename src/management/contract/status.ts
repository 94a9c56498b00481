import { z } from 'zod'
import { ERRORS, type ErrorCode } from '../../domain/errors.ts'
import { Timestamp } from './fields.ts'
import { operation } from './operation.ts'

const ProviderError = z.strictObject({
  at: Timestamp,
  model: z.string(),
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
  status: z.int().nullable().describe('HTTP status of the provider; null when there was no answer'),
  message: z.string(),
  request_id: z.string(),
})

const ProviderStatus = z.strictObject({
  name: z.string(),
  family: z.string(),
  configured: z.boolean().describe('It has a key or an address'),
  circuits: z
    .array(
      z.strictObject({
        model: z.string(),
        state: z.enum(['open', 'half-open']),
        until: Timestamp.nullable().describe('Skipped until this time, while another entry can serve'),
      }),
    )
    .describe('Models with an open or half-open circuit; working ones are not listed'),
  last_error: ProviderError.nullable().describe(
    "Failures of the provider's only, not mistakes of callers; only with access to all workspaces",
  ),
  last_success_at: Timestamp.nullable(),
  calls_5m: z.int().describe('Upstream calls of the last five minutes'),
  errors_5m: z.int().describe('Of those, failed because of the provider'),
})

export const GatewayStatus = z.strictObject({
  version: z.string(),
  node: z.string().describe('Id of this process’s data folder'),
  engine: z.enum(['sqlite', 'postgres']),
  started_at: Timestamp,
  uptime_seconds: z.int(),
  phase: z.enum(['starting', 'ready', 'draining']),
  config_file: z
    .string()
    .nullable()
    .describe('The file this gateway itself applies at every start and edit; null: none'),
  streaming: z.boolean().describe('Whether calls may stream in workspaces without their own setting'),
  threads: z.int().describe('Threads that serve calls'),
  in_flight: z.int().describe('Running chat calls'),
  log: z
    .strictObject({ lag_rows: z.int(), last_error: z.string().nullable() })
    .describe('Durable rows not yet in the database, and the reason'),
  catalog: z.array(
    z.strictObject({
      provider: z.string(),
      models: z.int(),
      read_at: Timestamp.nullable().describe('Null until its model list has been read'),
      problem: z.string().nullable().describe('Why not'),
    }),
  ),
  providers: z.array(ProviderStatus).describe('By name'),
})

export const statusOperations = {
  'status.get': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/status',
    tag: 'Status',
    summary: 'Show the state of this gateway process and the health of the providers',
    reply: GatewayStatus,
  }),
}
