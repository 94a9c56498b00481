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

/** What is counted: a closed list, whatever tokens say. */
export type RefusalKind =
  | 'algorithm'
  | 'keys'
  | 'signature'
  | 'expired'
  | 'not_yet_valid'
  | 'audience'
  | 'client'
  | 'subject'
  | 'lifetime'
  | 'malformed'
  | 'revoked'
  | 'no_rule'
  | 'key'

/** Why a token is refused: for the log, never for who sent it. */
export interface TokenRefusal {
  kind: RefusalKind
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
  if (!issuer.algorithms.some((each) => each === algorithm))
    return { kind: 'algorithm', reason: 'its algorithm is not allowed' }
  try {
    const { payload } = await jwtVerify(token, await keySets.of(issuer, keyId), {
      algorithms: issuer.algorithms,
      issuer: issuer.issuer,
      audience: issuer.audiences,
      clockTolerance: SKEW_SECONDS,
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(now()),
    })
    const refusal = refusalOf(payload, issuer, now() / 1_000)
    return refusal ?? { claims: payload, expiresAt: 1_000 * Number(payload.exp) }
  } catch (error) {
    if (error instanceof NoKeysError) {
      return { kind: 'keys', reason: `the issuer's keys could not be read: ${error.message}` }
    }
    if (error instanceof errors.JOSEError) return { kind: kindOf(error), reason: error.code }
    throw error
  }
}

function kindOf(error: errors.JOSEError): RefusalKind {
  if (error instanceof errors.JWTExpired) return 'expired'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature'
  // Its key is none of the issuer's.
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) return 'signature'
  if (!(error instanceof errors.JWTClaimValidationFailed)) return 'malformed'
  if (error.claim === 'aud') return 'audience'
  if (error.claim === 'nbf') return 'not_yet_valid'
  return error.claim === 'sub' ? 'subject' : 'malformed'
}

function refusalOf(claims: Claims, issuer: TokenIssuer, now: number): TokenRefusal | null {
  const { sub, exp, iat, aud, azp, client_id } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > 500) {
    return { kind: 'subject', reason: 'it names no subject' }
  }
  if (iat !== undefined && (typeof iat !== 'number' || iat > now + SKEW_SECONDS)) {
    return { kind: 'not_yet_valid', reason: 'it was issued in the future' }
  }
  if (Number(exp) - (iat ?? now) > issuer.max_token_seconds) {
    return { kind: 'lifetime', reason: 'it lives longer than max_token_seconds' }
  }
  if (issuer.clients !== null) {
    const client = azp ?? client_id
    const isAllowed = issuer.clients.some((each) => each === client)
    return isAllowed ? null : { kind: 'client', reason: 'its client is not allowed' }
  }
  const isForOthers = [aud].flat().some((each) => !issuer.audiences.some((own) => own === each))
  return isForOthers ? { kind: 'audience', reason: 'it is for other programs too, and no clients are set' } : null
}
