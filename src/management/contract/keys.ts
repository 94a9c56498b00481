import { z } from 'zod'
import { AllowedModels } from '../../domain/key.ts'
import { KeyLimits } from '../../domain/limits.ts'
import { inWorkspace, ManagedBy, Name, pageOf, paging, Timestamp, Usd, WorkspaceName } from './fields.ts'
import { OpeningBody, OpeningSpend } from './opening-spend.ts'
import { operation } from './operation.ts'

const NOTE_BYTES = 8_192
export const KeyNote = z
  .record(z.string().min(1).max(64), z.unknown())
  .refine((note) => Buffer.byteLength(JSON.stringify(note)) <= NOTE_BYTES, `at most ${NOTE_BYTES} bytes of JSON`)
  .describe('For the tools that manage the key; up to 8 kB')

export const Key = z.strictObject({
  id: z.string(),
  name: Name,
  prefix: z.string().describe('The first 12 characters of its newest value; the rest is stored only as a hash'),
  workspace: WorkspaceName,
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable(),
  paused_at: Timestamp.nullable().describe('Since when calls get 403, until it is resumed'),
  allowed_models: AllowedModels.nullable().describe(
    'Aliases or model ids, `*` at the end for all that begin so; null: all',
  ),
  limits: KeyLimits.nullable().describe('Limits of the key; changes apply from the next call'),
  note: KeyNote.nullable(),
  opening_spend: OpeningSpend.nullable().describe('Spent elsewhere before the key moved in; null: nothing'),
  managed_by: ManagedBy,
  last_used_at: Timestamp.nullable(),
  spent_usd: Usd.describe('Sum of the costs in the request log, exact'),
})

const KeyValue = z.strictObject({
  id: z.string(),
  prefix: z.string().describe('The first 12 characters'),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable().describe('When it was last used; other gateways report within seconds'),
  ends_at: Timestamp.nullable().describe('Refused from this time; null: works as long as the key'),
})

const value = z.string().describe('The value itself: shown now and never again')
export const KeyWithValue = Key.extend({ value })
const RotatedKey = KeyWithValue.extend({
  value_id: z.string(),
  replaces: z.array(KeyValue).describe('The values that this one replaces: each works until its ends_at'),
})

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'the SHA-256 of the value: 64 hexadecimal digits in lower case')
const prefix = z
  .string()
  .regex(/^[\x21-\x7e]{1,12}$/, '1 to 12 visible ASCII characters')
  .optional()
  .describe('What lists show of the value; default: the first digits of the hash')

const tag = 'Keys'
const one = z.strictObject({ id: z.string().max(64) })
const settings = {
  expires_at: Timestamp.nullable().optional(),
  allowed_models: AllowedModels.nullable().optional(),
  limits: KeyLimits.nullable().optional(),
  note: KeyNote.nullable().optional(),
}
export const AdoptedKey = z.strictObject({
  workspace: WorkspaceName,
  name: Name,
  hash,
  prefix,
  ...settings,
  paused: z.boolean().default(false),
  opening_spend: OpeningBody.optional(),
  earlier_values: z
    .array(z.strictObject({ hash, prefix, ends_at: Timestamp }))
    .max(20)
    .default([])
    .describe('Values that were replaced and still work for a while'),
  litellm_master: z
    .boolean()
    .default(false)
    .describe("LiteLLM's API accepts it as an admin, unless that was decided for this key before"),
})
const Adoption = z.strictObject({
  created: z.int(),
  changed: z
    .int()
    .describe('Here already; the opening spend was updated, an earlier value was added, or it became the master key'),
  unchanged: z.int().describe('Here already, and left as they are'),
  renamed: z.array(z.strictObject({ hash, name: Name })).describe('Their name was taken in the workspace'),
  refused: z.array(z.strictObject({ hash, reason: z.string() })),
})
/** The version is of what people set: a call must not make everybody's version stale. */
const versioned = { hasVersion: true, unversioned: ['last_used_at', 'spent_usd', 'value', 'value_id', 'replaces'] }

export const keyOperations = {
  'keys.list': operation({
    role: 'viewer',
    scope: 'workspace',
    method: 'GET',
    path: '/keys',
    tag,
    summary: 'List the keys of a workspace, newest first',
    query: z.strictObject({
      ...inWorkspace,
      state: z.enum(['live', 'all']).default('all').describe('`live`: without revoked and expired keys'),
      search: z
        .string()
        .trim()
        .max(100)
        .optional()
        .describe('Only keys with this in their name, their id or the first characters of their value'),
      ...paging,
    }),
    reply: pageOf(Key),
  }),
  'keys.create': operation({
    role: 'editor',
    scope: 'workspace',
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
  'keys.adopt': operation({
    role: 'editor',
    scope: 'workspace',
    method: 'POST',
    path: '/keys/adopt',
    tag,
    summary: 'Create a key for a value that its holder already has, from its SHA-256; the value keeps working',
    query: z.strictObject(inWorkspace),
    body: z.strictObject({ name: Name, hash, prefix, ...settings }),
    reply: Key,
    status: 201,
    ...versioned,
  }),
  'keys.adopt-many': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/keys/adopt-many',
    tag,
    summary: 'Create many keys from the SHA-256 of their values; keys that are here already stay as they are',
    body: z.strictObject({
      dry_run: z.boolean().default(false).describe('Only say what would happen'),
      more: z
        .boolean()
        .default(false)
        .describe('Further lists follow: these keys are let in with the last of them, or with the next change'),
      keys: z.array(AdoptedKey).min(1).max(1_000),
    }),
    reply: Adoption,
  }),
  'keys.get': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/keys/{id}',
    tag,
    summary: 'Get a key',
    params: one,
    reply: Key,
    ...versioned,
  }),
  'keys.update': operation({
    role: 'editor',
    scope: 'rows',
    method: 'PATCH',
    path: '/keys/{id}',
    tag,
    summary: 'Change the given settings of a key; null removes a setting',
    params: one,
    body: z.strictObject({ name: Name.optional(), ...settings }),
    reply: Key,
    ...versioned,
  }),
  'keys.opening-spend': operation({
    role: 'admin',
    scope: 'rows',
    method: 'PUT',
    path: '/keys/{id}/opening-spend',
    tag,
    summary: 'Set what a key had spent elsewhere before it moved in; it counts in its budget, and in no sum of usage',
    params: one,
    body: OpeningBody,
    reply: Key,
    ...versioned,
  }),
  'keys.litellm-master': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'PUT',
    path: '/keys/{id}/litellm-master',
    tag,
    summary: "Let LiteLLM's API accept this gateway key as an admin, as LiteLLM accepts its master key",
    params: one,
    body: z.strictObject({
      enabled: z.boolean().default(true).describe('`false`: no longer. One key at a time: the last one counts'),
    }),
    reply: z.strictObject({ key_id: z.string().nullable().describe('The key that is accepted; null: none') }),
  }),
  'keys.rotate': operation({
    role: 'editor',
    scope: 'rows',
    method: 'POST',
    path: '/keys/{id}/rotate',
    tag,
    summary: 'Give a key a new value, shown once; the old ones expire',
    params: one,
    body: z.strictObject({
      overlap_seconds: z.int().min(0).max(31_536_000).default(0).describe('How long the old values keep working'),
    }),
    reply: RotatedKey,
    status: 201,
    ...versioned,
  }),
  'keys.values': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/keys/{id}/values',
    tag,
    summary: 'List the values of a key, newest first',
    params: one,
    query: z.strictObject(paging),
    reply: pageOf(KeyValue),
  }),
  'keys.revoke-value': operation({
    role: 'editor',
    scope: 'rows',
    method: 'DELETE',
    path: '/keys/{id}/values/{value_id}',
    tag,
    summary: 'Revoke one value of a key, but never the last working one',
    params: one.extend({ value_id: z.string().max(64) }),
  }),
  'keys.pause': operation({
    role: 'editor',
    scope: 'rows',
    method: 'POST',
    path: '/keys/{id}/pause',
    tag,
    summary: 'Pause a key: its calls get 403 until it is resumed',
    params: one,
    reply: Key,
    ...versioned,
  }),
  'keys.resume': operation({
    role: 'editor',
    scope: 'rows',
    method: 'POST',
    path: '/keys/{id}/resume',
    tag,
    summary: 'Resume a paused key',
    params: one,
    reply: Key,
    ...versioned,
  }),
  'keys.revoke': operation({
    role: 'editor',
    scope: 'rows',
    method: 'DELETE',
    path: '/keys/{id}',
    tag,
    summary: 'Revoke a key with all its values, effective immediately',
    params: one,
    ...versioned,
  }),
}
