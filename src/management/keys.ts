import type { Kysely } from 'kysely'
import { GatewayError } from '../domain/errors.ts'
import type { Limits } from '../domain/limits.ts'
import type { JsonObject } from '../domain/request/call-request.ts'
import { renameKeyInRules } from '../store/control/alert-rules.ts'
import { findByHash } from '../store/control/key-values.ts'
import {
  createKey,
  insertHashedKey,
  type KeyChange,
  listKeys,
  revokeKey,
  updateKey,
  usableKeyIds,
} from '../store/control/keys.ts'
import type { Database } from '../store/engine/schema.ts'
import { adoptMany } from './adopt-many.ts'
import type { keyOperations } from './contract/keys.ts'
import { change, changeBeside, type ManagementDeps } from './deps.ts'
import { findChangeableKey, findGatewayKey, keyAuditEntry } from './find-key.ts'
import { keyValueHandlers } from './key-values.ts'
import { checkOwner, expiry, keyViewer, settingsOf, toKeyView } from './key-view.ts'
import { changeLitellmMaster } from './litellm-master.ts'
import { openingIn } from './opening-spend.ts'
import { decodeCursor, page } from './requests/cursor.ts'
import { untilCaughtUp } from './requests/request-filters.ts'
import type { Context, HandlersOf } from './router.ts'
import { checkStepDown, checkWorkspace } from './workspaces.ts'

export function keyHandlers(deps: ManagementDeps): HandlersOf<typeof keyOperations> {
  return {
    ...keyValueHandlers(deps),
    ...movedKeyHandlers(deps),
    async 'keys.list'({ query: { workspace, state, search, limit, cursor } }, { now }) {
      const after = decodeCursor(cursor, 1)
      await checkWorkspace(deps.db, workspace)
      await untilCaughtUp(deps)
      const wanted = {
        kind: 'live',
        workspace,
        search: search ?? '',
        usableAt: state === 'live' ? now : null,
        after: after === null ? null : String(after[0]),
        limit: limit + 1,
      } as const
      const rows = await listKeys(deps.db, wanted)
      // The sums of busy keys take a moment, so they use the connection for slow reads.
      const show = await keyViewer(deps.reads, rows)
      return page(rows, limit, show, (row) => [row.id])
    },
    'keys.create': ({ query: { workspace }, body }, context) =>
      change(deps, context, async (transaction) => {
        await checkWorkspace(transaction, workspace)
        await checkName(transaction, workspace, body.name, context.now)
        await checkStepDown(transaction, workspace, body.limits)
        const settings = settingsIn(body, context)
        const input = { kind: 'live' as const, workspace, name: body.name, ...settings }
        const { key, value } = await createKey(transaction, input, context.now)
        const after = await findGatewayKey(transaction, key.id, context)
        const result = { ...(await toKeyView(transaction, after)), value }
        return { result, audit: keyAuditEntry('keys.create', null, after) }
      }),
    async 'keys.get'({ params }, context) {
      await untilCaughtUp(deps)
      return toKeyView(deps.reads, await findGatewayKey(deps.db, params.id, context))
    },
    'keys.update': ({ params, body }, context) =>
      change(deps, context, async (transaction) => {
        const before = await findChangeableKey(transaction, params.id, context)
        if (body.name !== undefined && body.name !== before.name) {
          await checkName(transaction, String(before.workspace), body.name, context.now)
          await renameKeyInRules(transaction, String(before.workspace), before.name, body.name)
        }
        await checkStepDown(transaction, String(before.workspace), body.limits)
        await updateKey(transaction, before.id, { ...settingsIn(body, context), ...named(body) })
        const after = await findGatewayKey(transaction, before.id, context)
        const isSame = JSON.stringify(settingsOf(before)) === JSON.stringify(settingsOf(after))
        return {
          result: await toKeyView(transaction, after),
          audit: isSame ? null : keyAuditEntry('keys.update', before, after),
        }
      }),
    'keys.revoke': ({ params }, context) =>
      change(deps, context, async (transaction) => {
        const before = await findGatewayKey(transaction, params.id, context)
        checkOwner(before)
        context.checkMatch(settingsOf(before))
        const isNew = await revokeKey(transaction, before.id, context.now)
        const after = await findGatewayKey(transaction, before.id, context)
        return { result: undefined, audit: isNew ? keyAuditEntry('keys.revoke', before, after) : null }
      }),
  }
}

/** What a key brings along that moved in from another gateway. */
function movedKeyHandlers(
  deps: ManagementDeps,
): Pick<
  HandlersOf<typeof keyOperations>,
  'keys.adopt' | 'keys.adopt-many' | 'keys.opening-spend' | 'keys.litellm-master'
> {
  return {
    'keys.adopt-many': ({ body }, context) => adoptMany(deps, body, context),
    'keys.adopt': ({ query: { workspace }, body }, context) =>
      change(deps, context, async (transaction) => {
        await checkWorkspace(transaction, workspace)
        await checkName(transaction, workspace, body.name, context.now)
        await checkStepDown(transaction, workspace, body.limits)
        const { hash, prefix = hash.slice(0, 8) } = body
        if ((await findByHash(transaction, hash)) !== null) {
          throw new GatewayError('conflict', 'hash: a key with this value already exists.')
        }
        const input = { kind: 'live' as const, workspace, name: body.name, ...settingsIn(body, context) }
        const key = await insertHashedKey(transaction, input, { hash, prefix }, context.now)
        const after = await findGatewayKey(transaction, key.id, context)
        return { result: await toKeyView(transaction, after), audit: keyAuditEntry('keys.adopt', null, after) }
      }),
    'keys.opening-spend': ({ params, body }, context) =>
      change(deps, context, async (transaction) => {
        const before = await findGatewayKey(transaction, params.id, context)
        context.checkMatch(settingsOf(before))
        await updateKey(transaction, before.id, { opening: openingIn(body, context.now) })
        const after = await findGatewayKey(transaction, before.id, context)
        const audit = keyAuditEntry('keys.opening-spend', before, after)
        return { result: await toKeyView(transaction, after), audit }
      }),
    'keys.litellm-master': ({ params, body }, context) =>
      changeBeside(deps, context, async (transaction) => {
        const { id, revoked_at } = await findGatewayKey(transaction, params.id, context)
        if (revoked_at !== null && body.enabled) throw new GatewayError('conflict', 'This key is revoked.')
        const { keyId, audit } = await changeLitellmMaster(transaction, { id, enabled: body.enabled })
        return { result: { key_id: keyId }, audit }
      }),
  }
}

/** A name belongs to one usable key. */
async function checkName(db: Kysely<Database>, workspace: string, name: string, now: number): Promise<void> {
  if ((await usableKeyIds(db, { kind: 'live', workspace, name }, now)).length === 0) return
  throw new GatewayError(
    'conflict',
    `name: workspace '${workspace}' already has a key '${name}'; choose another name or rotate that key.`,
  )
}

interface GivenSettings {
  expires_at?: string | null | undefined
  allowed_models?: string[] | null | undefined
  limits?: Limits | null | undefined
  note?: JsonObject | null | undefined
}

function settingsIn(body: GivenSettings, context: Context): Omit<KeyChange, 'name'> {
  const { expires_at, allowed_models: allowedModels, limits, note } = body
  return {
    ...(expires_at === undefined ? {} : { expiresAt: expiry(expires_at, context.now) }),
    ...(allowedModels === undefined ? {} : { allowedModels }),
    ...(limits === undefined ? {} : { limits }),
    ...(note === undefined ? {} : { note }),
  }
}

function named({ name }: { name?: string | undefined }): { name?: string } {
  return name === undefined ? {} : { name }
}
