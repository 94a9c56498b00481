import type { Access } from '../access.ts'

/** Where the role of a person comes from: their groups at each sign-in, the invite that they took, or an admin since. */
export const ROLE_SOURCES = ['groups', 'invite', 'admin'] as const
export type RoleSource = (typeof ROLE_SOURCES)[number]

/** A person who signs in with an identity provider. Issuer and subject identify them; everything else may change. */
export interface Person {
  id: string
  issuer: string
  subject: string
  /** In lower case, and only if the provider has verified it: an unverified address proves nothing. */
  email: string | null
  name: string | null
  access: Access
  roleFrom: RoleSource
  createdAt: number
  lastSeenAt: number
  /** Since when they are refused; null: they are let in. */
  disabledAt: number | null
}

/** The first person who signs in with this verified address gets this access. */
export interface Invite {
  id: string
  email: string
  access: Access
  /** Name of the admin. */
  invitedBy: string
  createdAt: number
  expiresAt: number
}

/** Their name in the audit log and sessions. People choose their name, so it never appears without an identifier. */
export function personName({ email, name, subject }: Pick<Person, 'email' | 'name' | 'subject'>): string {
  return email ?? (name === null ? subject : `${name} (${subject})`)
}

/**
 * Addresses are compared case-insensitively, in ASCII only. Unicode has letters whose lower case is an ASCII one (the
 * Kelvin sign), and the owner of such an address would get another person's invite.
 */
export function plainEmail(email: string): string {
  return email.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
