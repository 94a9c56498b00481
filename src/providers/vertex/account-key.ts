import { createSign } from 'node:crypto'
import { z } from 'zod'
import { AuthorizationError, type OutgoingRequest } from '../authorization.ts'

/** The address in a key is where the key's proof goes: over the network only in secret. */
const TokenAddress = z
  .url()
  .refine((url) => /^(?:https:\/\/|http:\/\/(?:127\.0\.0\.1|localhost)[:/])/.test(url), 'expected an https address')

const ServiceAccount = z.looseObject({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  token_uri: TokenAddress.default('https://oauth2.googleapis.com/token'),
})
export type ServiceAccount = z.infer<typeof ServiceAccount>

export const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const LIFE_SECONDS = 3600

/** Null: it is not the JSON of a key. */
export function serviceAccountOf(json: string): ServiceAccount | null {
  try {
    const parsed = ServiceAccount.safeParse(JSON.parse(json))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/** Exchanges a proof that one holds the key for a token. `now`: Unix milliseconds. */
export function tokenRequest(account: ServiceAccount, now: number): OutgoingRequest {
  const body = new URLSearchParams({ grant_type: GRANT, assertion: assertion(account, now) })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { method: 'POST', url: account.token_uri, headers, body: body.toString() }
}

/** A signed JSON Web Token (RS256). */
function assertion(account: ServiceAccount, now: number): string {
  const { client_email: email, private_key_id: id, token_uri: audience } = account
  const issued = Math.floor(now / 1000)
  const header = { alg: 'RS256', typ: 'JWT', ...(id === undefined ? {} : { kid: id }) }
  const claims = { iss: email, scope: SCOPE, aud: audience, iat: issued, exp: issued + LIFE_SECONDS }
  const signed = `${encoded(header)}.${encoded(claims)}`
  return `${signed}.${signature(signed, account.private_key)}`
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function signature(text: string, privateKey: string): string {
  try {
    return createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')
  } catch {
    // Its own words may hold parts of the key.
    throw new AuthorizationError('The private_key in credentials.service_account cannot be read: is it complete?')
  }
}
