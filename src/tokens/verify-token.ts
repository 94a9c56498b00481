import { errors, jwtVerify } from 'jose'
import type { ReadToken } from '../domain/tokens/read-token.ts'
import type { TokenIssuer } from '../domain/tokens/token-issuer.ts'
import type { Claims } from '../domain/tokens/token-rules.ts'
import { type KeySets, NoKeysError } from './key-sets.ts'

/** Clocks may differ by this much. */
const SKEW_SECONDS = 60

export interface VerifiedToken {
  claims: Claims
  /** Unix milliseconds. */
  expiresAt: number
}

/** Why a token is refused: for the log, never for who sent it. */
export interface TokenRefusal {
  reason: string
}

/** Signature, issuer, audience, times and client, in this order; the library checks all but the last and the longest life. */
export async function verifyToken(
  token: string,
  { algorithm, keyId }: ReadToken,
  issuer: TokenIssuer,
  { keySets, now }: { keySets: KeySets; now: () => number },
): Promise<VerifiedToken | TokenRefusal> {
  // Before keys are asked for: a list of algorithms is what keeps a public key from being taken for a secret.
  if (!issuer.algorithms.some((each) => each === algorithm)) return { reason: 'its algorithm is not allowed' }
  try {
    const { payload } = await jwtVerify(token, await keySets.of(issuer, keyId), {
      algorithms: issuer.algorithms,
      issuer: issuer.issuer,
      audience: issuer.audiences,
      clockTolerance: SKEW_SECONDS,
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(now()),
    })
    const reason = refusalOf(payload, issuer, now() / 1_000)
    return reason === null ? { claims: payload, expiresAt: 1_000 * Number(payload.exp) } : { reason }
  } catch (error) {
    if (error instanceof NoKeysError) return { reason: `the issuer's keys could not be read: ${error.message}` }
    if (error instanceof errors.JOSEError) return { reason: error.code }
    throw error
  }
}

function refusalOf(claims: Claims, issuer: TokenIssuer, now: number): string | null {
  const { sub, exp, iat, aud, azp, client_id } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > 500) return 'it names no subject'
  if (iat !== undefined && (typeof iat !== 'number' || iat > now + SKEW_SECONDS)) return 'it was issued in the future'
  if (Number(exp) - (iat ?? now) > issuer.max_token_seconds) return 'it lives longer than max_token_seconds'
  if (issuer.clients !== null) {
    const client = azp ?? client_id
    return issuer.clients.some((each) => each === client) ? null : 'its client is not allowed'
  }
  const isForOthers = [aud].flat().some((each) => !issuer.audiences.some((own) => own === each))
  return isForOthers ? 'it is for other programs too, and no clients are set' : null
}
