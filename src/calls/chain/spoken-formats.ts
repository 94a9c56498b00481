import { isSpeakable, type Provider } from '../../domain/provider.ts'
import type { ChainEntry } from '../../domain/route.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { Endpoint } from '../../endpoints/endpoint.ts'
import { type AuthorizeDeps, authorize } from '../../providers/authorize.ts'
import type { Family, Translator } from '../../providers/family.ts'
import type { Breakdown } from '../../upstream/exchange.ts'
import type { UpstreamReply } from '../../upstream/whole-response.ts'

/** Whether addresses without a setting for it speak a format: found out by asking, at the first call of the format. */
export interface SpokenFormats {
  /** What was found out; undefined: nothing. */
  of(provider: Provider): Provider['speaks']
  /** Asks the providers of a chain that were not asked before. Null: there are none. */
  findOut(endpoint: Endpoint, chain: readonly ChainEntry[], snapshot: Snapshot): Promise<unknown> | null
}

interface Deps extends AuthorizeDeps {
  families: ReadonlyMap<string, Family>
}

interface Found {
  speaks: NonNullable<Provider['speaks']>
  /** Unix milliseconds: then it is asked again. */
  until: number
}

/** Shorter than a caller waits for the first words of an answer. */
const TIMEOUT_MS = 5_000
/** A server may be replaced by one that speaks more. One that speaks it is not asked again. */
const LASTS_MS = { spoken: Number.POSITIVE_INFINITY, missing: 3_600_000, unknown: 10_000 }

const MOST_ADDRESSES = 1_000

/** Without a request it can only be refused, which costs nothing: the path is there, or it is not. */
const NOTHING = Buffer.from('{}')

export function createSpokenFormats(deps: Deps): SpokenFormats {
  const found = new Map<string, Found>()
  const asking = new Map<string, Promise<void>>()
  /** Providers are immutable values of the snapshot: each has its key worked out once. */
  const keys = new WeakMap<Provider, string>()
  const keyOf = (provider: Provider) => {
    let key = keys.get(provider)
    if (key === undefined) {
      key = JSON.stringify([provider.name, provider.baseUrl])
      keys.set(provider, key)
    }
    return key
  }

  async function ask(key: string, format: Endpoint['name'], question: () => Promise<UpstreamReply | Breakdown | null>) {
    // Without an answer the call is translated, as at any address that speaks only chat.
    const verdict = verdictOf(await question().catch(() => null))
    asking.delete(key)
    found.set(key, {
      speaks: verdict === 'spoken' && isSpeakable(format) ? [format] : [],
      until: deps.now() + LASTS_MS[verdict],
    })
    const [oldest] = found.keys()
    if (found.size > MOST_ADDRESSES && oldest !== undefined) found.delete(oldest)
  }

  return {
    of: (provider) => (found.size === 0 ? undefined : found.get(keyOf(provider))?.speaks),
    findOut({ name }, chain, { providers }) {
      let asked: Promise<void>[] | null = null
      for (let place = 0; place < chain.length; place++) {
        const { provider: named, model } = chain[place] as ChainEntry
        const provider = providers.get(named)
        if (provider === undefined || provider.speaks !== undefined) continue
        const family = deps.families.get(provider.family)
        if (family === undefined) continue
        const translator = (family.translatorsFor?.(model, provider) ?? family.translators)[name]
        if (translator?.isFoundOut?.(provider) !== true) continue
        const key = keyOf(provider)
        const known = found.get(key)
        if (known !== undefined && (known.until === Number.POSITIVE_INFINITY || deps.now() < known.until)) continue
        const present = asking.get(key) ?? ask(key, name, () => answerOf(provider, family, translator, model, deps))
        asking.set(key, present)
        // What was true an hour ago is good enough until the answer is there.
        if (known === undefined) asked = [...(asked ?? []), present]
      }
      return asked === null ? null : Promise.all(asked)
    },
  }
}

async function answerOf(
  provider: Provider,
  family: Family,
  translator: Translator,
  model: string,
  deps: Deps,
): Promise<UpstreamReply | Breakdown | null> {
  const request = { ...translator.target(provider, model), method: 'POST', body: NOTHING } as const
  const endpoint = await authorize(request, provider, family, deps)
  if ('kind' in endpoint) return null
  return deps.upstream.exchange(endpoint, { method: 'POST', body: NOTHING, timeoutMs: TIMEOUT_MS, presence: null })
}

/** The path is there where its server misses the fields of a request. */
const MISSES_FIELDS: ReadonlySet<number> = new Set([400, 422])
const NO_PATH: ReadonlySet<number> = new Set([404, 405])

function verdictOf(answer: UpstreamReply | Breakdown | null): 'spoken' | 'missing' | 'unknown' {
  if (answer?.kind !== 'reply') return 'unknown'
  return MISSES_FIELDS.has(answer.status) ? 'spoken' : NO_PATH.has(answer.status) ? 'missing' : 'unknown'
}
