import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { isSecureUrl } from '../domain/tokens/secure-url.ts'
import { KeySet, MOST_KEYS, type TokenIssuer } from '../domain/tokens/token-issuer.ts'

/** How an issuer is asked; throws when it does not answer. */
export type Ask = (url: string) => Promise<{ status: number; text: string; cacheControl: string | null }>

/** Where the public keys of issuers come from. */
export interface KeySets {
  /** The keys to verify with. `keyId`: what the token names; keys that do not have it are fetched again, rarely. */
  of(issuer: TokenIssuer, keyId: string | undefined): Promise<JWTVerifyGetKey>
}

/** No keys could be had: says nothing about the token. */
export class NoKeysError extends Error {
  override readonly name = 'NoKeysError'
}

interface Kept {
  source: string
  keys: JWTVerifyGetKey | null
  ids: ReadonlySet<string>
  fetchedAt: number
  /** When they are fetched again. */
  staleAt: number
  triedAt: number
  fetching: Promise<void> | null
  problem: string
}

const MINUTE = 60_000
const [SHORTEST_MS, USUAL_MS, LONGEST_MS] = [5 * MINUTE, 15 * MINUTE, 24 * 60 * MINUTE]
/** Any client can send tokens with made-up key ids, and each would otherwise be a request to the issuer. */
const PAUSE_MS = 30_000
/** Without any keys all tokens of the issuer are refused, so the next attempt is soon. */
const FIRST_PAUSE_MS = 2_000
/** While the issuer does not answer, its last keys still count. */
const AFTER_STALE_MS = 60 * MINUTE
const MOST_CHARACTERS = 256 * 1024

export function createKeySets(ask: Ask, now: () => number): KeySets {
  const kept = new Map<string, Kept>()

  function keptOf({ name, source, jwks }: TokenIssuer): Kept {
    const present = kept.get(name)
    if (present?.source === source) return present
    const never = Number.NEGATIVE_INFINITY
    const empty = { source, fetchedAt: never, staleAt: never, triedAt: never, fetching: null, problem: '' }
    const fresh: Kept =
      jwks === null
        ? { ...empty, keys: null, ids: new Set() }
        : { ...empty, ...opened(jwks), fetchedAt: now(), staleAt: Number.POSITIVE_INFINITY }
    kept.set(name, fresh)
    return fresh
  }

  /** One request at a time; who needs its keys waits for it. */
  function refresh(entry: Kept, issuer: TokenIssuer): Promise<void> {
    entry.triedAt = now()
    entry.fetching ??= fetchKeys(issuer, ask)
      .then(({ set, maxAgeMs }) => {
        Object.assign(entry, opened(set))
        entry.fetchedAt = now()
        entry.staleAt = entry.fetchedAt + Math.min(Math.max(maxAgeMs ?? USUAL_MS, SHORTEST_MS), LONGEST_MS)
        entry.problem = ''
      })
      .catch((error: unknown) => {
        entry.problem = error instanceof Error ? error.message : String(error)
      })
      .finally(() => {
        entry.fetching = null
      })
    return entry.fetching
  }

  return {
    async of(issuer, keyId) {
      const entry = keptOf(issuer)
      const isStale = entry.staleAt <= now()
      const isUnknown = keyId !== undefined && !entry.ids.has(keyId) && issuer.jwks === null
      if (entry.fetching !== null) await entry.fetching
      else if ((isStale || isUnknown) && now() - entry.triedAt >= pauseOf(entry)) await refresh(entry, issuer)
      if (entry.keys === null || entry.staleAt + AFTER_STALE_MS <= now()) throw new NoKeysError(entry.problem)
      return entry.keys
    },
  }
}

function pauseOf({ keys }: Kept): number {
  return keys === null ? FIRST_PAUSE_MS : PAUSE_MS
}

function opened(set: KeySet): Pick<Kept, 'keys' | 'ids'> {
  return {
    keys: createLocalJWKSet(set as JSONWebKeySet),
    ids: new Set(set.keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid]))),
  }
}

async function fetchKeys(issuer: TokenIssuer, ask: Ask): Promise<{ set: KeySet; maxAgeMs: number | null }> {
  const url = issuer.jwks_url ?? (await discovered(issuer.issuer, ask))
  const { json, cacheControl } = await readJson(url, ask)
  const keys = typeof json === 'object' && json !== null && 'keys' in json && Array.isArray(json.keys) ? json.keys : []
  if (keys.length > MOST_KEYS) throw new Error(`${url} has more than ${MOST_KEYS} keys`)
  // One of a kind that is not known here must not hide the others.
  const usable = keys.filter((key) => KeySet.safeParse({ keys: [key] }).success)
  if (usable.length === 0) throw new Error(`${url} has no public keys`)
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl ?? '')?.[1]
  return { set: KeySet.parse({ keys: usable }), maxAgeMs: seconds === undefined ? null : 1_000 * Number(seconds) }
}

async function discovered(issuer: string, ask: Ask): Promise<string> {
  const { json } = await readJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, ask)
  const { issuer: named, jwks_uri: url } = (json ?? {}) as Record<string, unknown>
  if (named !== issuer) throw new Error(`the discovery document of ${issuer} is of another issuer`)
  if (typeof url !== 'string' || !isSecureUrl(url)) throw new Error(`${issuer} names no safe address of its keys`)
  return url
}

async function readJson(url: string, ask: Ask): Promise<{ json: unknown; cacheControl: string | null }> {
  const { status, text, cacheControl } = await ask(url)
  if (status !== 200) throw new Error(`${url} answers ${status}`)
  if (text.length > MOST_CHARACTERS) throw new Error(`${url} answers with more than ${MOST_CHARACTERS} characters`)
  try {
    return { json: JSON.parse(text), cacheControl }
  } catch {
    throw new Error(`${url} does not answer with JSON`)
  }
}
