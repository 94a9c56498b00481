import type { Provider } from '../domain/provider.ts'
import type { Authorization, Token, TokenTools } from './authorization.ts'
import { besideProvider } from './target-via.ts'

/** The tokens of all providers: fetched once, renewed before they end, one request at a time. */
export interface Tokens {
  /** Null where none is needed. Rejects with an `AuthorizationError`. */
  of(provider: Provider, authorization: Authorization): Token | null | Promise<Token>
  /** The provider has refused this one. True: the next request has another. */
  forget(provider: Provider, refused: Token): boolean
}

interface Kept {
  /** What it was fetched with: other credentials make another token. */
  source: string
  token: Token | null
  fetchedAt: number
  /** When a fetch failed last. */
  failedAt: number
  fetching: Promise<Token> | null
}

/** Renewed this long before its end, while the present one still serves; a short-lived one in its last quarter. */
const EARLY_MS = 300_000
/** After a renewal that failed, the present one serves this long before the next attempt. */
const PAUSE_MS = 10_000
/** A provider that refuses fresh tokens is not helped by more of them. */
const FRESH_MS = 60_000

export function createTokens(tools: TokenTools): Tokens {
  const kept = new Map<string, Kept>()

  function keptOf(provider: Provider): Kept {
    const source = sourceOf(provider)
    const present = kept.get(provider.name)
    if (present?.source === source) return present
    const fresh: Kept = { source, token: null, fetchedAt: 0, failedAt: Number.NEGATIVE_INFINITY, fetching: null }
    kept.set(provider.name, fresh)
    return fresh
  }

  function fetched(entry: Kept, provider: Provider, { fetchToken }: Authorization): Promise<Token> {
    if (fetchToken === undefined) throw new Error(`the family '${provider.family}' fetches no tokens`)
    const request: TokenTools['request'] = (asked) => tools.request(besideProvider(provider, asked))
    entry.fetching ??= fetchToken(provider, { ...tools, request })
      .then((token) => {
        entry.token = token
        entry.fetchedAt = tools.now()
        return token
      })
      .catch((error: unknown) => {
        entry.failedAt = tools.now()
        throw error
      })
      .finally(() => {
        entry.fetching = null
      })
    return entry.fetching
  }

  return {
    of(provider, authorization) {
      if (authorization.needsToken?.(provider) !== true) return null
      const entry = keptOf(provider)
      const { token, fetchedAt, failedAt } = entry
      const expiresAt = token?.expiresAt ?? Number.POSITIVE_INFINITY
      const now = tools.now()
      if (token === null || expiresAt <= now) return fetched(entry, provider, authorization)
      const isEarly = expiresAt - now < Math.min(EARLY_MS, (expiresAt - fetchedAt) / 4)
      // Should it fail, there is time for more attempts.
      if (isEarly && now - failedAt >= PAUSE_MS) fetched(entry, provider, authorization).catch(() => {})
      return token
    },
    forget(provider, refused) {
      const entry = kept.get(provider.name)
      // Of several calls that are refused together, the first one has it replaced.
      if (entry?.token !== refused) return true
      if (tools.now() - entry.fetchedAt < FRESH_MS) return false
      entry.token = null
      return true
    },
  }
}

const sources = new WeakMap<Provider, string>()

function sourceOf(provider: Provider): string {
  const known = sources.get(provider)
  if (known !== undefined) return known
  const { family, baseUrl, apiKey, settings, credentials } = provider
  const source = JSON.stringify([family, baseUrl, apiKey, settings, credentials])
  sources.set(provider, source)
  return source
}
