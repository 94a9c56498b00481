import type { Configuration, FetchBody } from 'openid-client'
import { z } from 'zod'
import { plainEmail } from '../../../domain/people/person.ts'
import type { Identity } from './decide-sign-in.ts'
import { CALLBACK_PATH, type Fetch, type OidcSettings } from './settings.ts'
import type { Started } from './sign-in-cookie.ts'

type Kept = Pick<Started, 'state' | 'nonce' | 'verifier'>

export type Prompt = 'select_account' | 'login'

export interface IdentityProvider {
  /** Where the browser goes, and what it must bring back. With a prompt the provider asks who it is, also where it knows. */
  begin(prompt: Prompt | null): Promise<{ url: string } & Kept>
  /** Who it is, by the address that the browser came back to. Tokens are dropped: nothing here needs one again. */
  finish(query: Readonly<Record<string, string>>, kept: Kept): Promise<Identity>
}

const TIMEOUT_SECONDS = 10

/** Nothing is loaded or asked before the first sign-in. */
export function openProvider(settings: OidcSettings, fetch: Fetch): IdentityProvider {
  let opening: Promise<Opened> | null = null
  const opened = () => {
    opening ??= discover(settings, fetch).catch((error) => {
      opening = null
      throw error
    })
    return opening
  }
  const redirectUri = settings.publicUrl + CALLBACK_PATH
  return {
    async begin(prompt) {
      const { client, config } = await opened()
      const kept = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.scopes,
        state: kept.state,
        nonce: kept.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(kept.verifier),
        code_challenge_method: 'S256',
        ...(prompt !== null && { prompt }),
      })
      return { url: url.href, ...kept }
    },
    async finish(query, { state, nonce, verifier }) {
      const { client, config } = await opened()
      const url = new URL(`${redirectUri}?${new URLSearchParams(query)}`)
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
      const tokens = await client.authorizationCodeGrant(config, url, checks)
      const claims = tokens.claims()
      if (claims === undefined) throw new Error('the answer has no ID token')
      // Many providers keep address and groups out of the ID token.
      const hasUserInfo = config.serverMetadata().userinfo_endpoint !== undefined
      const more: Record<string, unknown> = hasUserInfo
        ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
        : {}
      // An address counts as verified only if its own source says so.
      const source: Record<string, unknown> = claims['email'] === undefined ? more : claims
      const { email, email_verified } = source
      return readIdentity({ ...more, ...claims, email, email_verified }, settings)
    },
  }
}

interface Opened {
  client: typeof import('openid-client')
  config: Configuration
}

async function discover({ issuer, clientId, clientSecret }: OidcSettings, fetch: Fetch): Promise<Opened> {
  const client = await import('openid-client')
  const basic = client.ClientSecretBasic(clientSecret ?? '')
  const post = client.ClientSecretPost(clientSecret ?? '')
  // In a header only where the provider takes nothing else: several read a secret there in another way than the standard.
  const withSecret: typeof basic = (server, ...rest) => {
    const known = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (known.includes('client_secret_post') ? post : basic)(server, ...rest)
  }
  const config = await client.discovery(
    new URL(issuer),
    clientId,
    undefined,
    clientSecret === null ? client.None() : withSecret,
    // The settings allow plain HTTP on this machine only.
    {
      timeout: TIMEOUT_SECONDS,
      // The token comes from the provider itself, over TLS; its signature is checked anyway.
      execute: [
        client.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
      ],
      [client.customFetch]: (url, { method, headers, body }) =>
        fetch(url, { method, headers, body: body === undefined || body === null ? null : bytesOf(body) }),
    },
  )
  return { client, config }
}

/** The library sends forms, never streams. */
function bytesOf(body: FetchBody): string | Uint8Array {
  return body instanceof Uint8Array ? body : String(body)
}

const Claims = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(255),
  email: z.string().max(254).optional().catch(undefined),
  email_verified: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
    .optional()
    .catch(false),
  name: z.string().optional().catch(undefined),
})
const Groups = z.union([z.array(z.string()), z.string().transform((one) => [one])]).catch([])

export function readIdentity(
  given: Readonly<Record<string, unknown>>,
  { groupsClaim, trustsEmail }: Pick<OidcSettings, 'groupsClaim' | 'trustsEmail'>,
): Identity {
  const claims = Claims.parse(given)
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: claims.email === undefined ? null : plainEmail(claims.email),
    isEmailVerified: claims.email_verified ?? trustsEmail,
    name: claims.name?.slice(0, 200) ?? null,
    groups: Groups.parse(given[groupsClaim]),
  }
}
