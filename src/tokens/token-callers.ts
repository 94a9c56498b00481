import { hash } from 'node:crypto'
import { GatewayError } from '../domain/errors.ts'
import { isUsable, type LiveKey } from '../domain/key.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { readToken } from '../domain/tokens/read-token.ts'
import { REVOCABLE_CLAIMS, revocationKey, type TokenIssuer } from '../domain/tokens/token-issuer.ts'
import { type Claims, matchedRule } from '../domain/tokens/token-rules.ts'
import type { KeySets } from './key-sets.ts'
import { type RefusalKind, type VerifiedToken, verifyToken } from './verify-token.ts'

/** Finds the key that a token stands for. */
export interface TokenCallers {
  /** `digest` is the SHA-256 of the whole token. At once where the token has been verified before. Throws a refusal. */
  keyOf(token: string, digest: string, snapshot: Snapshot): LiveKey | Promise<LiveKey>
}

export interface TokenCallerDeps {
  keySets: KeySets
  now(): number
  /** Why a token was refused, without the token. */
  note(facts: { issuer: string; reason: string; subject?: string; keyId?: string | undefined }): void
  /** Each refused call, by the name of the issuer. */
  count(issuer: string, kind: RefusalKind): void
  /** Verified tokens that are remembered. */
  most: number
}

interface Verified extends VerifiedToken {
  issuer: TokenIssuer
  /** What was decided last, and on which control data. */
  snapshot: Snapshot | null
  key: LiveKey | null
  /** Verified again from then on. */
  until: number
}

const REMEMBERED_MS = 5 * 60_000

/** Both ways to call answer in the same words. */
export function unknownKey(): GatewayError {
  return new GatewayError('unauthorized', 'The gateway key is unknown, expired or revoked.')
}

/**
 * Only a verified token is remembered, under the SHA-256 of all of it. What it may do is decided again from its claims
 * whenever control data change, so that a revocation or another rule holds for the next call.
 */
export function createTokenCallers({ keySets, now, note, count, most }: TokenCallerDeps): TokenCallers {
  const known = new Map<string, Verified>()

  async function verified(token: string, digest: string, snapshot: Snapshot): Promise<LiveKey> {
    const read = readToken(token)
    const { iss, sub } = read?.claims ?? {}
    const issuer = typeof iss === 'string' ? snapshot.tokenIssuers?.get(iss) : undefined
    if (read === null || issuer === undefined) throw unknownKey()
    const found = await verifyToken(token, read, issuer, { keySets, now })
    if ('reason' in found) {
      count(issuer.name, found.kind)
      const subject = typeof sub === 'string' ? { subject: hash('sha256', sub, 'hex').slice(0, 16) } : {}
      note({ issuer: issuer.name, reason: found.reason, keyId: read.keyId?.slice(0, 100), ...subject })
      throw unknownKey()
    }
    const until = Math.min(found.expiresAt, now() + REMEMBERED_MS)
    const entry: Verified = { ...found, issuer, until, snapshot: null, key: null }
    if (known.size >= most) known.delete(known.keys().next().value ?? '')
    known.set(digest, entry)
    return decided(entry, snapshot)
  }

  function refused({ name }: TokenIssuer, kind: 'revoked' | 'no_rule' | 'key'): GatewayError {
    count(name, kind)
    if (kind !== 'no_rule') return unknownKey()
    return new GatewayError('forbidden', `No rule of the token issuer '${name}' accepts this token.`)
  }

  /** The key as it is now. */
  function decided(entry: Verified, snapshot: Snapshot): LiveKey {
    const { claims, issuer } = entry
    if (entry.snapshot !== snapshot || entry.key === null) {
      const found = admitted(claims, issuer, snapshot, now())
      if ('refused' in found) throw refused(issuer, found.refused)
      entry.key = found
      entry.snapshot = snapshot
    }
    const { key } = entry
    if (!isUsable(key, now())) throw refused(issuer, 'key')
    if (key.pausedAt === null) return key
    count(issuer.name, 'key')
    throw paused(key)
  }

  return {
    keyOf(token, digest, snapshot) {
      const entry = known.get(digest)
      if (entry === undefined) return verified(token, digest, snapshot)
      const issuer = snapshot.tokenIssuers?.get(entry.issuer.issuer)
      if (entry.until > now() && issuer?.source === entry.issuer.source) {
        entry.issuer = issuer
        return decided(entry, snapshot)
      }
      known.delete(digest)
      return verified(token, digest, snapshot)
    },
  }
}

export function paused({ name }: Pick<LiveKey, 'name'>): GatewayError {
  return new GatewayError('forbidden', `The key '${name}' is paused. Ask an operator of the gateway to resume it.`)
}

/** The key of the first rule that matches, with the holder that the token names. */
function admitted(
  claims: Claims,
  issuer: TokenIssuer,
  snapshot: Snapshot,
  now: number,
): LiveKey | { refused: 'revoked' | 'no_rule' | 'key' } {
  for (const claim of REVOCABLE_CLAIMS) {
    const until = issuer.revoked.get(revocationKey(claim, String(claims[claim])))
    if (until === null || (until !== undefined && until > now)) return { refused: 'revoked' }
  }
  const match = matchedRule(claims, issuer)
  if (match === null) return { refused: 'no_rule' }
  const key = snapshot.keys.get(match.rule.key_id)
  if (key === undefined || key.kind !== 'live' || key.workspace === null) return { refused: 'key' }
  return { ...key, workspace: key.workspace, holder: match.holder }
}
