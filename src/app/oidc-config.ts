import { z } from 'zod'
import { parseGroupRoles } from '../domain/people/group-roles.ts'
import { isSecureUrl } from '../domain/tokens/secure-url.ts'
import type { OidcSettings } from '../management/access/oidc/settings.ts'

export const OIDC_VARIABLES = {
  PUBLIC_URL: z
    .string()
    .refine(
      (text) =>
        /^https?:$/.test(URL.parse(text)?.protocol ?? '') && URL.parse(text)?.pathname === '/' && !/[?#]/.test(text),
      'the address of the dashboard without a path, such as https://gateway.example.com',
    )
    .transform((text) => new URL(text).origin)
    .optional(),
  OIDC_ISSUER: z.string().refine(isSecureUrl, 'an https:// address; http:// on this machine only').optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_NAME: z.string().min(1).max(60).default('single sign-on'),
  OIDC_SCOPES: z
    .string()
    .refine((text) => text.split(' ').includes('openid'), 'scopes with spaces between them, openid among them')
    .default('openid email profile'),
  OIDC_GROUPS_CLAIM: z.string().min(1).default('groups'),
  OIDC_GROUP_ROLES: z
    .string()
    .default('')
    .transform((text, context) => {
      const rows = parseGroupRoles(text)
      if (rows === null) context.addIssue('group=role, or group=role@workspace,workspace, with semicolons between them')
      return rows ?? z.NEVER
    }),
  OIDC_TRUST_EMAIL: z.enum(['yes', 'no']).default('no'),
} as const

const OidcVariables = z.object(OIDC_VARIABLES)
type OidcVariables = z.infer<typeof OidcVariables>

/** A half-set configuration would fail only at the first sign-in. */
export function oidcProblem(given: OidcVariables): string | null {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, PUBLIC_URL } = given
  if (OIDC_ISSUER === undefined) {
    const alone = (['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const).find((name) => given[name] !== undefined)
    return alone === undefined ? null : `${alone}: also set OIDC_ISSUER`
  }
  if (OIDC_CLIENT_ID === undefined) return 'OIDC_ISSUER: also set OIDC_CLIENT_ID'
  if (PUBLIC_URL === undefined) return 'OIDC_ISSUER: also set PUBLIC_URL, the address of the dashboard in browsers'
  return null
}

/** Null: only admin keys can sign in. */
export function oidcSettings(given: OidcVariables): OidcSettings | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, PUBLIC_URL: publicUrl } = given
  if (issuer === undefined || clientId === undefined || publicUrl === undefined) return null
  return {
    issuer,
    clientId,
    publicUrl,
    clientSecret: given.OIDC_CLIENT_SECRET ?? null,
    scopes: given.OIDC_SCOPES,
    groupsClaim: given.OIDC_GROUPS_CLAIM,
    groupRoles: given.OIDC_GROUP_ROLES,
    trustsEmail: given.OIDC_TRUST_EMAIL === 'yes',
    name: given.OIDC_NAME,
  }
}
