import { isWithin } from '../../domain/access.ts'
import { GatewayError } from '../../domain/errors.ts'
import { type Invite, plainEmail } from '../../domain/people/person.ts'
import { createInvite, deleteInvite, findInvite, listInvites } from '../../store/control/invites.ts'
import { Overtaken } from '../../store/control/overtaken.ts'
import { listPeople } from '../../store/control/people.ts'
import { timestamp } from '../contract/fields.ts'
import type { peopleOperations } from '../contract/people.ts'
import { changeBeside, type ManagementDeps } from '../deps.ts'
import { expiry } from '../key-view.ts'
import { decodeCursor, page } from '../requests/cursor.ts'
import type { HandlersOf } from '../router.ts'
import { checkGivable } from './admin-keys.ts'

type InviteOperations = Pick<typeof peopleOperations, 'invites.list' | 'invites.create' | 'invites.withdraw'>

const INVITE_MS = 14 * 24 * 3_600_000

export function inviteHandlers(deps: ManagementDeps): HandlersOf<InviteOperations> {
  return {
    async 'invites.list'({ query: { limit, cursor } }, { access }) {
      const after = decodeCursor(cursor, 1)
      const invites = await listInvites(deps.db, after === null ? null : String(after[0]))
      const within = invites.filter((invite) => isWithin(invite.access, access))
      return page(within.slice(0, limit + 1), limit, toInviteView, ({ id }) => [id])
    },
    'invites.create': ({ body }, context) =>
      changeBeside(deps, context, async (transaction) => {
        const access = { role: body.role, workspaces: body.workspaces }
        await checkGivable(transaction, access, context.access)
        const email = plainEmail(body.email)
        if ((await listPeople(transaction, null)).some((person) => person.email === email)) {
          throw new GatewayError('conflict', `email: '${email}' has signed in before; change their role instead.`)
        }
        const pending = await findInvite(transaction, { email })
        if (pending !== null && pending.expiresAt > context.now) throw alreadyInvited(email)
        if (pending !== null) await deleteInvite(transaction, pending.id)
        const expiresAt = expiry(body.expires_at, context.now) ?? context.now + INVITE_MS
        const invitedBy = context.actor.name
        const given = { email, access, invitedBy, expiresAt }
        const invite = await createInvite(transaction, given, context.now).catch((error) => {
          throw error instanceof Overtaken ? alreadyInvited(email) : error
        })
        return { result: toInviteView(invite), audit: inviteAuditEntry('invites.create', null, invite) }
      }),
    'invites.withdraw': ({ params: { id } }, context) =>
      changeBeside(deps, context, async (transaction) => {
        const invite = await findInvite(transaction, { id })
        if (invite === null || !isWithin(invite.access, context.access)) {
          throw new GatewayError('not_found', `There is no invite with the id '${id}'.`)
        }
        await deleteInvite(transaction, id)
        return { result: undefined, audit: inviteAuditEntry('invites.withdraw', invite, null) }
      }),
  }
}

function alreadyInvited(email: string): GatewayError {
  return new GatewayError('conflict', `email: '${email}' is invited already; withdraw that invite first.`)
}

function toInviteView({ access, ...invite }: Invite) {
  return {
    id: invite.id,
    email: invite.email,
    role: access.role,
    workspaces: access.workspaces === null ? null : [...access.workspaces],
    invited_by: invite.invitedBy,
    created_at: timestamp(invite.createdAt),
    expires_at: timestamp(invite.expiresAt),
  }
}

function inviteAuditEntry(action: string, before: Invite | null, after: Invite | null) {
  const view = (invite: Invite | null) => (invite === null ? null : toInviteView(invite))
  const resource = `invites/${(after ?? before)?.id}`
  return { action, workspace: null, resource, before: view(before), after: view(after) }
}
