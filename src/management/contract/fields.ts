import { z } from 'zod'
import { Role } from '../../domain/access.ts'

/** Fields that several resources share. Snake_case, money as decimal strings in USD, times as RFC 3339 in UTC. */
export const Timestamp = z.iso.datetime({ offset: true }).describe('RFC 3339, UTC')
export const Usd = z
  .string()
  .regex(/^\d+(\.\d{1,12})?$/, 'an amount in USD as a decimal string')
  .describe('USD, exact, as a decimal string')

export const Name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a name is 1 to 64 of letters, digits and . _ -')
export const WorkspaceName = Name

/** What an admin key or a person may do, and where. */
export const access = {
  role: Role.describe(
    '`member` has keys of their own, `viewer` also reads, `editor` also changes keys and routes, `admin` may do everything',
  ),
  workspaces: z.array(WorkspaceName).nullable().describe('Where; null: in all workspaces, and in the gateway itself'),
}

/** The same of a new one. */
export const givenAccess = {
  role: access.role.default('admin'),
  workspaces: z
    .array(WorkspaceName)
    .min(1, 'name at least one workspace, or send null for all')
    .max(1_000)
    .nullable()
    .default(null)
    .describe('Where; null: in all workspaces, and in the gateway itself'),
}

/** Resources of a workspace take it as a query parameter. */
export const inWorkspace = { workspace: WorkspaceName.default('default') }

export const paging = {
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: z.string().max(500).optional().describe('`next_cursor` of the page before'),
}

/** In the description of a body that the very function checks which checks calls: both refuse the same. */
export const CHAT_REQUEST = { type: 'object', additionalProperties: true, description: 'A chat completions request' }

/** A page of a list; `next_cursor` is null on the last one. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.strictObject({ data: z.array(item), next_cursor: z.string().nullable() })
}

/** Who may change an object: `config` is the file, `environment` the process's variables, null anyone with an admin key. */
export const ManagedBy = z.enum(['config', 'environment']).nullable()

export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

export function timestampOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timestamp(milliseconds)
}
