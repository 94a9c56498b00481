import type { Kysely } from 'kysely'
import { newId } from '../../domain/new-id.ts'
import type { Invite } from '../../domain/people/person.ts'
import type { Database, InviteRow } from '../engine/schema.ts'
import { jsonOrNull, storedAccess } from './keys.ts'
import { Overtaken } from './overtaken.ts'

/** Throws `Overtaken` when this address has just been invited. */
export async function createInvite(
  db: Kysely<Database>,
  input: Omit<Invite, 'id' | 'createdAt'>,
  now: number,
): Promise<Invite> {
  const invite: Invite = { ...input, id: newId(now), createdAt: now }
  const row: InviteRow = {
    id: invite.id,
    email: invite.email,
    role: invite.access.role,
    workspaces: jsonOrNull(invite.access.workspaces),
    invited_by: invite.invitedBy,
    created_at: now,
    expires_at: invite.expiresAt,
  }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('invites')
    .values(row)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) throw new Overtaken()
  return invite
}

export async function findInvite(db: Kysely<Database>, by: { id: string } | { email: string }): Promise<Invite | null> {
  const [column, value] = 'id' in by ? (['id', by.id] as const) : (['email', by.email] as const)
  const row = await db.selectFrom('invites').selectAll().where(column, '=', value).executeTakeFirst()
  return row === undefined ? null : inviteFromRow(row)
}

/** Newest first, the expired ones among them. */
export async function listInvites(db: Kysely<Database>, after: string | null): Promise<Invite[]> {
  let rows = db.selectFrom('invites').selectAll().orderBy('id', 'desc')
  if (after !== null) rows = rows.where('id', '<', after)
  return (await rows.execute()).map(inviteFromRow)
}

/** True when it was there: of two who take one at the same time, one does. */
export async function deleteInvite(db: Kysely<Database>, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('invites').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

function inviteFromRow(row: InviteRow): Invite {
  return {
    id: row.id,
    email: row.email,
    access: storedAccess(row),
    invitedBy: row.invited_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}
