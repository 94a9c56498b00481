import { GatewayError } from '../../domain/errors.ts'
import { createKey, findKey, listKeys, revokeKey, usableKeyIds } from '../../store/control/keys.ts'
import type { KeyRow } from '../../store/engine/schema.ts'
import type { adminKeyOperations } from '../contract/admin-keys.ts'
import { timestamp, timestampOrNull } from '../contract/fields.ts'
import { change, type ManagementDeps } from '../deps.ts'
import { expiry, identityOf } from '../key-view.ts'
import { decodeCursor, page } from '../requests/cursor.ts'
import type { HandlersOf } from '../router.ts'

const ADMIN = { kind: 'admin', workspace: null } as const

export function adminKeyHandlers(deps: ManagementDeps): HandlersOf<typeof adminKeyOperations> {
  return {
    async 'admin-keys.list'({ query: { limit, cursor } }) {
      const after = decodeCursor(cursor, 1)
      const rows = await listKeys(deps.db, {
        ...ADMIN,
        after: after === null ? null : String(after[0]),
        limit: limit + 1,
      })
      return page(rows, limit, identityOf, (row) => [row.id])
    },
    'admin-keys.create': ({ body: { name, expires_at } }, context) =>
      change(deps, context, async (transaction) => {
        if ((await usableKeyIds(transaction, { ...ADMIN, name }, context.now)).length > 0) {
          throw new GatewayError('conflict', `name: an admin key '${name}' already exists; choose another name.`)
        }
        const expiresAt = expiry(expires_at, context.now)
        const { key, value } = await createKey(transaction, { ...ADMIN, name, expiresAt }, context.now)
        const created = {
          id: key.id,
          name,
          prefix: key.prefix,
          created_at: timestamp(key.createdAt),
          expires_at: timestampOrNull(key.expiresAt),
          revoked_at: null,
        }
        return { result: { ...created, value }, audit: adminKeyAuditEntry('admin-keys.create', key.id, null, created) }
      }),
    'admin-keys.revoke': ({ params: { id } }, context) =>
      change(deps, context, async (transaction) => {
        const row = await findKey(transaction, 'admin', id)
        if (row === null) throw new GatewayError('not_found', `There is no admin key with the id '${id}'.`)
        const usable = await usableKeyIds(transaction, ADMIN, context.now)
        if (usable.length === 1 && usable[0] === id) {
          throw new GatewayError('conflict', 'This is the last working admin key; create another one first.')
        }
        const isNew = await revokeKey(transaction, id, context.now)
        const before = identityOf(row)
        const after = { ...before, revoked_at: timestamp(context.now) }
        return { result: undefined, audit: isNew ? adminKeyAuditEntry('admin-keys.revoke', id, before, after) : null }
      }),
  }
}

type AdminKeyView = ReturnType<typeof identityOf>

function adminKeyAuditEntry(action: string, id: KeyRow['id'], before: AdminKeyView | null, after: AdminKeyView) {
  return { action, workspace: null, resource: `admin-keys/${id}`, before, after }
}
