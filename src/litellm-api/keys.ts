import { z } from 'zod'
import { GatewayError } from '../domain/errors.ts'
import { hashKey, randomLetters } from '../domain/key.ts'
import { litellmFacts } from '../domain/litellm/facts.ts'
import { checkRole } from '../management/access/permit.ts'
import { CONTRACT } from '../management/contract/contract.ts'
import { rotateKey } from '../management/key-values.ts'
import { keyViewer } from '../management/key-view.ts'
import type { KeyRow } from '../store/engine/schema.ts'
import type { LitellmDeps } from './deps.ts'
import { graceSeconds } from './durations.ts'
import { notFound, wrongField } from './errors.ts'
import { fieldsIn, KeyFields, shaped } from './fields.ts'
import { hashIn, keyByAlias, keyByHash, searchKeys } from './find-keys.ts'
import { workspaceOfTeam } from './find-team.ts'
import { type KeyView, keyObjects, type NamesTeam } from './key-view.ts'
import type { Asked, Row } from './row.ts'
import { keySettings, nameOf } from './settings.ts'

/** Where a value must begin so that tools tell it from a hash, and no shorter than LiteLLM takes it. */
const VALUE = /^sk-[\x21-\x7e]{13,200}$/

function chosenValue(value: string | null | undefined, field: string): string {
  if (value === null || value === undefined || value === '') return `sk-${randomLetters()}`
  if (VALUE.test(value)) return value
  throw wrongField(field, 'must begin with "sk-" and have at least 16 visible characters.')
}

/** What lists show of a value, as LiteLLM writes it. */
function shownOf(value: string): string {
  return `sk-...${value.slice(-4)}`
}

async function generate({ body, caller, perform, context }: Asked, deps: LitellmDeps) {
  const fields = fieldsIn(KeyFields, body)
  const workspace = await workspaceOfTeam(fields.team_id, deps)
  const alias = fields.key_alias ?? ''
  if (alias !== '' && (await keyByAlias(deps.db, caller.access, alias)) !== null) throw aliasTaken(alias)
  const value = chosenValue(fields.key, 'key')
  const hash = hashKey(value)
  const settings = keySettings(fields, context.now)
  const isTeamOfDefault = workspace === 'default' && (fields.team_id ?? '') !== ''
  const note = isTeamOfDefault ? { ...settings.note, has_team: true } : settings.note
  const name = await freeName(nameOf(alias, `key-${hash.slice(0, 8)}`), workspace, hash, deps)
  const given = { name, hash, prefix: shownOf(value), ...settings, note }
  const key = await perform('keys.adopt', { query: { workspace }, body: given }).catch((error) => {
    throw isNameConflict(error) ? aliasTaken(alias) : error
  })
  if (fields.blocked === true) await perform('keys.pause', { params: { id: key.id } })
  return withValue(await perform('keys.get', { params: { id: key.id } }), value, deps)
}

async function withValue(key: KeyView, value: string, deps: LitellmDeps) {
  const object = await objectOf(key, 'if-given', deps)
  return { key: value, token_id: object.token, ...object }
}

async function objectOf(key: KeyView, namesTeam: NamesTeam, deps: LitellmDeps) {
  const [object] = await keyObjects([key], namesTeam, deps)
  if (object === undefined) throw new Error('a key without its object')
  return object
}

function aliasTaken(alias: string): GatewayError {
  return new GatewayError('conflict', `Key with alias '${alias}' already exists.`, { details: { param: 'key_alias' } })
}

/** Another request with the same alias was faster. */
function isNameConflict(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'conflict' && error.message.startsWith('name:')
}

/** Two aliases may become the same name; the second one gets a part of its hash. */
async function freeName(name: string, workspace: string, hash: string, { db }: LitellmDeps): Promise<string> {
  const taken = await db
    .selectFrom('keys')
    .select(['name', 'note'])
    .where('workspace', '=', workspace)
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return taken === undefined ? name : `${name.slice(0, 59)}-${hash.slice(0, 4)}`
}

/** The key that a request names; 404 also where the caller may not see it. */
async function named({ perform, caller }: Asked, deps: LitellmDeps, given: { key?: unknown; key_alias?: unknown }) {
  const { key, key_alias: alias } = given
  const row =
    typeof key === 'string' && key !== ''
      ? await keyByHash(deps.db, key)
      : await keyByAlias(deps.db, caller.access, String(alias ?? ''))
  if (row === null) throw notFound('Key')
  return perform('keys.get', { params: { id: row.id } }).catch((error) => {
    throw error instanceof GatewayError && error.code === 'not_found' ? notFound('Key') : error
  })
}

async function update(asked: Asked, deps: LitellmDeps) {
  const { body, perform, context, caller } = asked
  const fields = fieldsIn(KeyFields, body)
  const key = await named(asked, deps, body)
  if (fields.team_id !== undefined && (await workspaceOfTeam(fields.team_id, deps)) !== key.workspace) {
    throw wrongField('team_id', 'a key cannot move to another team. Create a new one there.')
  }
  const { key_alias: alias } = fields
  const present = litellmFacts(key.note).key_alias ?? key.name
  // An alias also names the key to change, where no key is given.
  const isRenamed = alias !== undefined && alias !== null && alias !== '' && alias !== present
  if (isRenamed && (await keyByAlias(deps.db, caller.access, alias)) !== null) throw aliasTaken(alias)
  const hash = hashKey(key.id)
  const name = isRenamed ? await freeName(nameOf(alias, key.name), key.workspace, hash, deps) : undefined
  const settings = { ...keySettings(fields, context.now, { limits: key.limits, note: key.note }), name }
  await perform('keys.update', { params: { id: key.id }, body: settings })
  if (typeof fields.blocked === 'boolean' && fields.blocked !== (key.paused_at !== null)) {
    await perform(fields.blocked ? 'keys.pause' : 'keys.resume', { params: { id: key.id } })
  }
  const after = await perform('keys.get', { params: { id: key.id } })
  return { key: fields.key ?? null, ...(await objectOf(after, 'if-given', deps)) }
}

const Doomed = z.object({ keys: z.array(z.string()).nullish(), key_aliases: z.array(z.string()).nullish() })

async function remove(asked: Asked, deps: LitellmDeps) {
  const { keys, key_aliases: aliases } = shaped(Doomed, asked.body, 'body')
  const wanted = [...(keys ?? []).map((key) => ({ key })), ...(aliases ?? []).map((key_alias) => ({ key_alias }))]
  if (wanted.length === 0) throw wrongField('keys', 'name at least one key, or one of key_aliases.')
  const deleted: string[] = []
  for (const each of wanted) {
    const key = await named(asked, deps, each).catch((error) => {
      if (error instanceof GatewayError && error.code === 'not_found') return null
      throw error
    })
    if (key === null) continue
    await asked.perform('keys.revoke', { params: { id: key.id } })
    deleted.push('key' in each ? each.key : each.key_alias)
  }
  if (deleted.length === 0) throw notFound('Key')
  return { deleted_keys: deleted }
}

/** A gateway key reads itself; whether another key exists is not said to it. */
async function info(asked: Asked, deps: LitellmDeps) {
  const { caller, query, perform } = asked
  const given = query['key']
  if (caller.own !== null) {
    const { id } = caller.own
    if (given !== undefined && (await keyByHash(deps.db, given))?.id !== id) {
      throw new GatewayError('forbidden', "This key may not read another key's info.")
    }
    const object = await objectOf(await perform('keys.get', { params: { id } }), 'always', deps)
    return { key: given ?? object.token, info: object }
  }
  if (given === undefined) throw caller.isMaster ? notFound('Key') : wrongField('key', 'name the key: ?key=')
  return { key: given, info: await objectOf(await named(asked, deps, { key: given }), 'if-given', deps) }
}

const Paging = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  size: z.coerce.number().int().min(1).max(100).default(10),
})

async function list({ caller, query }: Asked, deps: LitellmDeps) {
  const { page, size } = shaped(Paging, query, 'query')
  const { team_id: team, key_alias: alias, user_id: userId, key_hash: hash } = query
  const workspace = team === undefined ? undefined : await workspaceOfTeam(team, deps)
  const search = { alias, workspace, userId, hash: hash === undefined ? undefined : hashIn(hash) }
  const { rows, total } = await searchKeys(deps.db, caller.access, search, { offset: (page - 1) * size, limit: size })
  const objects = await keyObjects(await viewsOf(rows, deps), 'if-given', deps)
  return {
    keys: query['return_full_object'] === 'true' ? objects : objects.map(({ token }) => token),
    total_count: total,
    current_page: page,
    total_pages: Math.ceil(total / size),
  }
}

export async function viewsOf(rows: readonly KeyRow[], { reads }: LitellmDeps): Promise<KeyView[]> {
  const show = await keyViewer(reads, rows)
  return rows.map((row) => show(row))
}

function blocking(operation: 'keys.pause' | 'keys.resume'): Row['handle'] {
  return async (asked, deps) => {
    const key = await named(asked, deps, asked.body)
    return objectOf(await asked.perform(operation, { params: { id: key.id } }), 'if-given', deps)
  }
}

const Renewal = z.object({ new_key: z.string().nullish(), grace_period: z.string().nullish() })

async function regenerate(asked: Asked, deps: LitellmDeps) {
  const { body, params, context } = asked
  const { new_key, grace_period } = shaped(Renewal, body, 'body')
  const key = await named(asked, deps, { key: params['key'] ?? body['key'] })
  const value = chosenValue(new_key, 'new_key')
  if ((await keyByHash(deps.db, hashKey(value))) !== null) throw wrongField('new_key', 'this value is in use.')
  checkRole(CONTRACT['keys.rotate'], context.access)
  const rotation = { value, prefix: shownOf(value), overlap_seconds: graceSeconds(grace_period, context.now) }
  await rotateKey(deps, key.id, rotation, context)
  return withValue(await asked.perform('keys.get', { params: { id: key.id } }), value, deps)
}

export const KEY_ROWS: readonly Row[] = [
  { method: 'POST', path: '/key/generate', access: 'admin', operation: 'keys.adopt', handle: generate },
  { method: 'POST', path: '/key/service-account/generate', access: 'admin', operation: 'keys.adopt', handle: generate },
  { method: 'POST', path: '/key/update', access: 'admin', operation: 'keys.update', handle: update },
  { method: 'POST', path: '/key/delete', access: 'admin', operation: 'keys.revoke', handle: remove },
  { method: 'GET', path: '/key/info', access: 'own', operation: 'keys.get', handle: info },
  { method: 'GET', path: '/key/list', access: 'admin', operation: 'keys.list', handle: list },
  { method: 'POST', path: '/key/block', access: 'admin', operation: 'keys.pause', handle: blocking('keys.pause') },
  { method: 'POST', path: '/key/unblock', access: 'admin', operation: 'keys.resume', handle: blocking('keys.resume') },
  { method: 'POST', path: '/key/regenerate', access: 'admin', operation: 'keys.rotate', handle: regenerate },
  { method: 'POST', path: '/key/:key/regenerate', access: 'admin', operation: 'keys.rotate', handle: regenerate },
]
