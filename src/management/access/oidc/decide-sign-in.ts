import type { Access } from '../../../domain/access.ts'
import { accessOfGroups, type GroupRole } from '../../../domain/people/group-roles.ts'
import type { Invite, Person, RoleSource } from '../../../domain/people/person.ts'

/** The provider's claims about a person, verified by the library. */
export interface Identity {
  issuer: string
  subject: string
  /** In lower case. */
  email: string | null
  /** True only where the provider says so, or is known to verify all: an unverified address proves nothing. */
  isEmailVerified: boolean
  name: string | null
  groups: readonly string[]
}

/** What is stored about the person who signs in. */
export interface Known {
  /** With this issuer and subject. */
  person: Person | null
  /** For this address, verified or not. */
  invite: Invite | null
}

export type Refusal = 'disabled' | 'not_invited' | 'invite_expired' | 'email_not_verified'

export interface Admitted {
  kind: 'admitted'
  access: Access
  roleFrom: RoleSource
  takes: Invite | null
}

export type SignIn = Admitted | { kind: 'refused'; reason: Refusal }

/**
 * The access of a person who signs in. A role that an admin gave stays; one from groups is derived again each time. An
 * invite is for the first person with the address, and only if the provider has verified it. For a new person it takes
 * precedence over groups, but it never removes what groups give a known one.
 */
export function decideSignIn(
  identity: Identity,
  { person, invite }: Known,
  rows: readonly GroupRole[],
  now: number,
): SignIn {
  if (person !== null && person.disabledAt !== null) return { kind: 'refused', reason: 'disabled' }
  if (person !== null && person.roleFrom !== 'groups') return admitted(person.access, person.roleFrom)
  const byInvite = invite !== null && invite.expiresAt > now && identity.isEmailVerified ? takenBy(invite) : null
  const access = accessOfGroups(identity.groups, rows)
  const byGroups = access === null ? null : admitted(access, 'groups')
  const found = person === null ? (byInvite ?? byGroups) : (byGroups ?? byInvite)
  if (found !== null) return found
  return { kind: 'refused', reason: reasonFor(identity, invite) }
}

function admitted(access: Access, roleFrom: RoleSource): Admitted {
  return { kind: 'admitted', access, roleFrom, takes: null }
}

function takenBy(invite: Invite): SignIn {
  return { ...admitted(invite.access, 'invite'), takes: invite }
}

/** Without proof of the address, the reply says no more about its invite than that the proof is missing. */
function reasonFor({ isEmailVerified }: Identity, invite: Invite | null): Refusal {
  if (invite === null) return 'not_invited'
  return isEmailVerified ? 'invite_expired' : 'email_not_verified'
}
