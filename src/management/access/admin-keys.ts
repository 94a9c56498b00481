import type { Kysely } from 'kysely'
import { type Access, isFullAccess, isWithin } from '../../domain/access.ts'
import { GatewayError } from '../../domain/errors.ts'
import { accessFromRow, createKey, findKey, listKeys, revokeKey, usableKeyIds } from '../../store/control/keys.ts'
import { revokeKeysOf } from '../../store/control/people/personal-keys.ts'
import type { Database, KeyRow } from '../../store/engine/schema.ts'
import type { adminKeyOperations } from '../contract/admin-keys.ts'
import { timestamp, timestampOrNull } from '../contract/fields.ts'
import { change, type ManagementDeps } from '../deps.ts'
import { expiry, identityOf } from '../key-view.ts'
import { decodeCursor, page } from '../requests/cursor.ts'
import type { HandlersOf } from '../router.ts'

const ADMIN = { kind: 'admin', workspace: null } as const
/** Of the admin keys, which are few. */
const ALL = 1_000_000

export function adminKeyHandlers(deps: ManagementDeps): HandlersOf<typeof adminKeyOperations> {
  return {
    async 'admin-keys.list'({ query: { limit, cursor } }, { access }) {
      const after = decodeCursor(cursor, 1)
      const rows = await listKeys(deps.db, {
        ...ADMIN,
        after: after === null ? null : String(after[0]),
        limit: isFullAccess(access) ? limit + 1 : ALL,
      })
      const within = rows.filter((row) => isWithin(accessFromRow(row), access))
      return page(within, limit, toAdminKeyView, (row) => [row.id])
    },
    'admin-keys.create': ({ body: { name, role, workspaces, expires_at } }, context) =>
      change(deps, context, async (transaction) => {
        const access = { role, workspaces }
        await checkGivable(transaction, access, context.access)
        if ((await usableKeyIds(transaction, { ...ADMIN, name }, context.now)).length > 0) {
          throw new GatewayError('conflict', `name: an admin key '${name}' already exists; choose another name.`)
        }
        const expiresAt = expiry(expires_at, context.now)
        const { key, value } = await createKey(transaction, { ...ADMIN, name, access, expiresAt }, context.now)
        const created = {
          id: key.id,
          name,
          prefix: key.prefix,
          ...access,
          created_at: timestamp(key.createdAt),
          expires_at: timestampOrNull(key.expiresAt),
          revoked_at: null,
        }
        return { result: { ...created, value }, audit: adminKeyAuditEntry('admin-keys.create', key.id, null, created) }
      }),
    'admin-keys.revoke': ({ params: { id } }, context) =>
      change(deps, context, async (transaction) => {
        const row = await findKey(transaction, 'admin', id)
        if (row === null || !isWithin(accessFromRow(row), context.access)) {
          throw new GatewayError('not_found', `There is no admin key with the id '${id}'.`)
        }
        const usable = await usableKeyIds(transaction, { ...ADMIN, isFull: true }, context.now)
        if (usable.length === 1 && usable[0] === id) {
          throw new GatewayError(
            'conflict',
            'This is the last working admin key that may do everything; create another one first.',
          )
        }
        const isNew = await revokeKey(transaction, id, context.now)
        await revokeKeysOf(transaction, id, context.now)
        const before = toAdminKeyView(row)
        const after = { ...before, revoked_at: timestamp(context.now) }
        return { result: undefined, audit: isNew ? adminKeyAuditEntry('admin-keys.revoke', id, before, after) : null }
      }),
  }
}

function toAdminKeyView(row: KeyRow) {
  const { role, workspaces } = accessFromRow(row)
  return { ...identityOf(row), role, workspaces: workspaces === null ? null : [...workspaces] }
}

type AdminKeyView = ReturnType<typeof toAdminKeyView>

function adminKeyAuditEntry(action: string, id: KeyRow['id'], before: AdminKeyView | null, after: AdminKeyView) {
  return { action, workspace: null, resource: `admin-keys/${id}`, before, after }
}

/** Throws when it is more than the giver has, or in a workspace that is not there. */
export async function checkGivable(db: Kysely<Database>, given: Access, own: Access): Promise<void> {
  if (!isWithin(given, own)) {
    const where = own.workspaces === null ? 'all workspaces' : own.workspaces.join(', ')
    throw new GatewayError('forbidden', `You cannot give more access than your own: ${own.role}, ${where}.`)
  }
  const names = new Set((await db.selectFrom('workspaces').select('name').execute()).map(({ name }) => name))
  const missing = given.workspaces?.find((name) => !names.has(name))
  if (missing !== undefined) {
    throw new GatewayError('invalid_request', `workspaces: there is no workspace '${missing}'`)
  }
}
