import type { Kysely, Transaction } from 'kysely'
import { GatewayError } from '../domain/errors.ts'
import type { Limits } from '../domain/limits.ts'
import { createKey, findKey, type KeyChange, listKeys, revokeKey, updateKey, usableKeyIds } from '../store/keys.ts'
import type { Database, KeyRow } from '../store/schema.ts'
import { timestamp } from './contract/fields.ts'
import type { keyOperations } from './contract/keys.ts'
import { decodeCursor, page } from './cursor.ts'
import { change, type ManagementDeps } from './deps.ts'
import { checkOwner, expiry, settingsOf, shower, shown } from './key-view.ts'
import { untilCaughtUp } from './request-filters.ts'
import type { Context, HandlersOf } from './router.ts'
import { checkWorkspace } from './workspaces.ts'

export function keyHandlers(deps: ManagementDeps): HandlersOf<typeof keyOperations> {
  return {
    async 'keys.list'({ query: { workspace, state, limit, cursor } }, { now }) {
      const after = decodeCursor(cursor, 1)
      await checkWorkspace(deps.db, workspace)
      await untilCaughtUp(deps)
      const wanted = {
        kind: 'live',
        workspace,
        usableAt: state === 'live' ? now : null,
        after: after === null ? null : String(after[0]),
        limit: limit + 1,
      } as const
      const rows = await listKeys(deps.db, wanted)
      // The sums of busy keys take a moment: nothing else shall wait for it.
      const show = await shower(deps.reads, rows)
      return page(rows, limit, show, (row) => [row.id])
    },
    'keys.create': ({ query: { workspace }, body }, context) =>
      change(deps, context, async (transaction) => {
        await checkWorkspace(transaction, workspace)
        await checkName(transaction, workspace, body.name, context.now)
        const settings = settingsIn(body, context)
        const { key, value } = await createKey(
          transaction,
          { kind: 'live', workspace, name: body.name, ...settings },
          context.now,
        )
        const after = await find(transaction, key.id)
        const result = { ...(await shown(transaction, after)), value }
        return { result, audit: audited('keys.create', after, null, after) }
      }),
    async 'keys.get'({ params }) {
      await untilCaughtUp(deps)
      return shown(deps.reads, await find(deps.db, params.id))
    },
    'keys.update': ({ params, body }, context) =>
      change(deps, context, async (transaction) => {
        const before = await changeable(transaction, params.id, context)
        if (body.name !== undefined && body.name !== before.name) {
          await checkName(transaction, String(before.workspace), body.name, context.now)
        }
        await updateKey(transaction, before.id, { ...settingsIn(body, context), ...named(body) })
        const after = await find(transaction, before.id)
        const isSame = JSON.stringify(settingsOf(before)) === JSON.stringify(settingsOf(after))
        return {
          result: await shown(transaction, after),
          audit: isSame ? null : audited('keys.update', after, before, after),
        }
      }),
    'keys.rotate': ({ params, body }, context) =>
      change(deps, context, async (transaction) => {
        const before = await changeable(transaction, params.id, context)
        if (before.expires_at !== null && before.expires_at <= context.now) {
          throw new GatewayError('conflict', `The key '${before.name}' has expired: set a new expires_at first.`)
        }
        const { after, value } = await replace(transaction, before, body.overlap_seconds, context)
        const replaces = { id: before.id, revoked_at: timestamp(context.now + body.overlap_seconds * 1000) }
        const result = { ...(await shown(transaction, after)), value, replaces }
        const audit = audited('keys.rotate', before, before, after)
        return { result, audit: { ...audit, after: { ...audit.after, replaces } } }
      }),
    'keys.revoke': ({ params }, context) =>
      change(deps, context, async (transaction) => {
        const before = await find(transaction, params.id)
        checkOwner(before)
        context.checkMatch(settingsOf(before))
        const isNew = await revokeKey(transaction, before.id, context.now)
        const after = await find(transaction, before.id)
        return { result: undefined, audit: isNew ? audited('keys.revoke', before, before, after) : null }
      }),
  }
}

/** A new key with the same settings; the old one works as long as the two shall overlap. */
async function replace(db: Transaction<Database>, old: KeyRow, overlapSeconds: number, { now }: Context) {
  const { workspace, name, expires_at: expiresAt } = old
  const { allowed_models: allowedModels, limits } = settingsOf(old)
  const { key, value } = await createKey(db, { kind: 'live', workspace, name, expiresAt, allowedModels, limits }, now)
  await revokeKey(db, old.id, now + overlapSeconds * 1000)
  return { after: await find(db, key.id), value }
}

function audited(action: string, row: KeyRow, before: KeyRow | null, after: KeyRow) {
  return {
    action,
    workspace: row.workspace,
    resource: `keys/${row.id}`,
    before: before === null ? null : settingsOf(before),
    after: settingsOf(after),
  }
}

async function find(db: Kysely<Database>, id: string): Promise<KeyRow> {
  const row = await findKey(db, 'live', id)
  if (row === null) throw new GatewayError('not_found', `There is no key with the id '${id}'.`)
  return row
}

/** The key if it is ours to change, still works, and is what the caller has seen. */
async function changeable(db: Kysely<Database>, id: string, context: Context): Promise<KeyRow> {
  const row = await find(db, id)
  checkOwner(row)
  context.checkMatch(settingsOf(row))
  if (row.revoked_at === null) return row
  throw new GatewayError(
    'conflict',
    `The key '${row.name}' is revoked as of ${timestamp(row.revoked_at)}; create a new one.`,
  )
}

/** A name stands for one key that works; two of them are only there while one replaces the other. */
async function checkName(db: Kysely<Database>, workspace: string, name: string, now: number): Promise<void> {
  if ((await usableKeyIds(db, { kind: 'live', workspace, name }, now)).length === 0) return
  throw new GatewayError(
    'conflict',
    `name: workspace '${workspace}' has a key '${name}' already; choose another name or rotate that key.`,
  )
}

interface GivenSettings {
  expires_at?: string | null | undefined
  allowed_models?: string[] | null | undefined
  limits?: Limits | null | undefined
}

function settingsIn(body: GivenSettings, context: Context): Omit<KeyChange, 'name'> {
  const { expires_at, allowed_models: allowedModels, limits } = body
  return {
    ...(expires_at === undefined ? {} : { expiresAt: expiry(expires_at, context.now) }),
    ...(allowedModels === undefined ? {} : { allowedModels }),
    ...(limits === undefined ? {} : { limits }),
  }
}

function named({ name }: { name?: string | undefined }): { name?: string } {
  return name === undefined ? {} : { name }
}
