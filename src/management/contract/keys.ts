import { z } from 'zod'
import { AllowedModels } from '../../domain/key.ts'
import { Limits } from '../../domain/limits.ts'
import { inWorkspace, ManagedBy, Name, pageOf, paging, Timestamp, Usd, WorkspaceName } from './fields.ts'
import { operation } from './operation.ts'

export const Key = z.strictObject({
  id: z.string(),
  name: Name,
  prefix: z.string().describe('The first 12 characters of the value: all that is kept of it in clear'),
  workspace: WorkspaceName,
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable().describe('In the future while a rotated key still works'),
  allowed_models: AllowedModels.nullable().describe(
    'Aliases or model ids, `*` at the end for all that begin so; null: all',
  ),
  limits: Limits.nullable().describe('What the key may use up; a change acts on the next call'),
  managed_by: ManagedBy,
  last_used_at: Timestamp.nullable(),
  spent_usd: Usd.describe('Sum of the costs in the request log, exact'),
})

const value = z.string().describe('The key itself: shown now and never again')
const KeyWithValue = Key.extend({ value })
const RotatedKey = KeyWithValue.extend({
  replaces: z.strictObject({ id: z.string(), revoked_at: Timestamp.describe('Until then the old value works too') }),
})

const tag = 'Keys'
const one = z.strictObject({ id: z.string().max(64) })
const settings = {
  expires_at: Timestamp.nullable().optional(),
  allowed_models: AllowedModels.nullable().optional(),
  limits: Limits.nullable().optional(),
}
/** The version is of what people set: a call must not make everybody's version stale. */
const versioned = { hasVersion: true, unversioned: ['last_used_at', 'spent_usd', 'value'] }

export const keyOperations = {
  'keys.list': operation({
    method: 'GET',
    path: '/keys',
    tag,
    summary: 'List the keys of a workspace, newest first',
    query: z.strictObject({
      ...inWorkspace,
      state: z.enum(['live', 'all']).default('all').describe('`live`: only those that work, not revoked, not expired'),
      ...paging,
    }),
    reply: pageOf(Key),
  }),
  'keys.create': operation({
    method: 'POST',
    path: '/keys',
    tag,
    summary: 'Create a key; its value is shown once',
    query: z.strictObject(inWorkspace),
    body: z.strictObject({ name: Name, ...settings }),
    reply: KeyWithValue,
    status: 201,
    ...versioned,
  }),
  'keys.get': operation({
    method: 'GET',
    path: '/keys/{id}',
    tag,
    summary: 'Get a key',
    params: one,
    reply: Key,
    ...versioned,
  }),
  'keys.update': operation({
    method: 'PATCH',
    path: '/keys/{id}',
    tag,
    summary: 'Change what the body names; null takes a setting away',
    params: one,
    body: z.strictObject({ name: Name.optional(), ...settings }),
    reply: Key,
    ...versioned,
  }),
  'keys.rotate': operation({
    method: 'POST',
    path: '/keys/{id}/rotate',
    tag,
    summary: 'Replace a key by a new one with the same settings; the value is shown once',
    params: one,
    body: z.strictObject({
      overlap_seconds: z.int().min(0).max(31_536_000).default(0).describe('So long the old value still works'),
    }),
    reply: RotatedKey,
    status: 201,
  }),
  'keys.revoke': operation({
    method: 'DELETE',
    path: '/keys/{id}',
    tag,
    summary: 'Revoke a key: from the answer on it is refused',
    params: one,
    ...versioned,
  }),
}
