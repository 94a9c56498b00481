import type { Kysely } from 'kysely'
import { coversWorkspace } from '../domain/access.ts'
import { GatewayError } from '../domain/errors.ts'
import { findKey } from '../store/control/keys.ts'
import type { Database, KeyRow } from '../store/engine/schema.ts'
import { timestamp } from './contract/fields.ts'
import { checkOwner, settingsOf } from './key-view.ts'
import type { Context } from './router.ts'

/** A key of a workspace that the caller has no access to is not there. */
export async function findGatewayKey(
  db: Kysely<Database>,
  id: string,
  { access }: Pick<Context, 'access'>,
): Promise<KeyRow> {
  const row = await findKey(db, 'live', id)
  if (row === null || !coversWorkspace(access, row.workspace))
    throw new GatewayError('not_found', `There is no key with the id '${id}'.`)
  return row
}

/** The key if it is ours to change, still works, and is what the caller has seen. */
export async function findChangeableKey(db: Kysely<Database>, id: string, context: Context): Promise<KeyRow> {
  const row = await findGatewayKey(db, id, context)
  checkOwner(row)
  context.checkMatch(settingsOf(row))
  if (row.revoked_at === null) return row
  throw new GatewayError(
    'conflict',
    `The key '${row.name}' was revoked at ${timestamp(row.revoked_at)}; create a new one.`,
  )
}

/** What the audit log says of a change; `more` is what the settings do not show. */
export function keyAuditEntry(action: string, before: KeyRow | null, after: KeyRow, more: object = {}) {
  return {
    action,
    workspace: after.workspace,
    resource: `keys/${after.id}`,
    before: before === null ? null : settingsOf(before),
    after: { ...settingsOf(after), ...more },
  }
}
