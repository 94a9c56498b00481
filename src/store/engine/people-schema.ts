import type { Role } from '../../domain/access.ts'
import type { RoleSource } from '../../domain/people/person.ts'

/** Who signs in with the identity provider (domain/people/person.ts). */
export interface PeopleTable {
  id: string
  issuer: string
  subject: string
  email: string | null
  name: string | null
  role: Role
  /** A JSON list; null: all. */
  workspaces: string | null
  role_from: RoleSource
  created_at: number
  last_seen_at: number
  disabled_at: number | null
}

/** Open invites. */
export interface InvitesTable {
  id: string
  email: string
  role: Role
  workspaces: string | null
  invited_by: string
  created_at: number
  expires_at: number
}

/** Whose tokens are accepted in place of a key (domain/tokens/token-issuer.ts). */
export interface TokenIssuersTable {
  name: string
  /** The claim `iss`. */
  issuer: string
  /** JSON. */
  settings: string
  created_at: number
  updated_at: number
}

export interface TokenRevocationsTable {
  /** Name of the issuer. */
  issuer: string
  claim: string
  value: string
  created_at: number
  /** Null: for ever. */
  until: number | null
}

/** What keys people may make for themselves (domain/people/key-template.ts). */
export interface KeyTemplatesTable {
  name: string
  workspace: string
  /** JSON. */
  settings: string
  created_at: number
  updated_at: number
}

/** Keys that people made for themselves. */
export interface PersonalKeysTable {
  key_id: string
  /** Id of a person, or of an admin key. */
  owner: string
  template: string
}

/** Their own table: those of `sessions` have a key, and gateways of the version before know no others. */
export interface PersonSessionsTable {
  id: string
  person_id: string
  secret_hash: string
  created_at: number
  expires_at: number
}
