import type { GroupRole } from '../../../domain/people/group-roles.ts'

/** The identity provider that people sign in with, and what it says of them. */
export interface OidcSettings {
  issuer: string
  clientId: string
  /** Null: a public client, which PKCE alone protects. */
  clientSecret: string | null
  scopes: string
  groupsClaim: string
  groupRoles: readonly GroupRole[]
  /** The provider verifies every address without saying so. */
  trustsEmail: boolean
  /** What people call the provider. */
  name: string
  /** Where browsers find the dashboard: an origin without a path. */
  publicUrl: string
}

/** How the provider is asked. */
export type Fetch = (
  url: string,
  request: { method: string; headers: Record<string, string>; body?: string | Uint8Array | null },
) => Promise<Response>

export const SIGN_IN_PATH = '/sign-in'
export const CALLBACK_PATH = '/sign-in/callback'
