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
  /**
   * The path that was chosen by what was found out is missing. True: it is the other one now. `spoke`: the call was sent
   * in the format of the endpoint.
   */
  hasChanged(endpoint: Endpoint, provider: Provider, model: string, spoke: boolean): Promise<boolean>
}

interface Deps extends AuthorizeDeps {
  families: ReadonlyMap<string, Family>
}

interface Found {
  speaks: NonNullable<Provider['speaks']>
  /** Unix milliseconds: when a missing path made it be asked again. */
  againAt: number
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

  async function ask(key: string, format: Endpoint['name'], provider: Provider, model: string) {
    // Without an answer the call is translated, as at any address that speaks only chat.
    const verdict = verdictOf(await answered(format, provider, model).catch(() => null))
    asking.delete(key)
    found.set(key, {
      speaks: verdict === 'spoken' && isSpeakable(format) ? [format] : [],
      againAt: found.get(key)?.againAt ?? Number.NEGATIVE_INFINITY,
      until: deps.now() + LASTS_MS[verdict],
    })
    const [oldest] = found.keys()
    if (found.size > MOST_ADDRESSES && oldest !== undefined) found.delete(oldest)
  }

  const translatorAt = (format: Endpoint['name'], provider: Provider, model: string) => {
    const family = deps.families.get(provider.family)
    return (family?.translatorsFor?.(model, provider) ?? family?.translators)?.[format]
  }

  const isAskable = (format: Endpoint['name'], provider: Provider, model: string) =>
    provider.speaks === undefined && translatorAt(format, provider, model)?.isFoundOut?.(provider) === true

  async function answered(format: Endpoint['name'], provider: Provider, model: string) {
    const family = deps.families.get(provider.family)
    const translator = translatorAt(format, provider, model)
    return family && translator ? answerOf(provider, family, translator, model, deps) : null
  }

  function asked(key: string, format: Endpoint['name'], provider: Provider, model: string): Promise<void> {
    const present = asking.get(key) ?? ask(key, format, provider, model)
    asking.set(key, present)
    return present
  }

  return {
    of: (provider) => (found.size === 0 ? undefined : found.get(keyOf(provider))?.speaks),
    findOut({ name }, chain, { providers }) {
      let waits: Promise<void>[] | null = null
      for (let place = 0; place < chain.length; place++) {
        const { provider: named, model } = chain[place] as ChainEntry
        const provider = providers.get(named)
        if (provider === undefined || !isAskable(name, provider, model)) continue
        const key = keyOf(provider)
        const known = found.get(key)
        if (known !== undefined && (known.until === Number.POSITIVE_INFINITY || deps.now() < known.until)) continue
        const present = asked(key, name, provider, model)
        // What was true an hour ago is good enough until the answer is there.
        if (known === undefined) waits = [...(waits ?? []), present]
      }
      return waits === null ? null : Promise.all(waits)
    },
    async hasChanged({ name }, provider, model, spoke) {
      const key = keyOf(provider)
      const known = found.get(key)
      if (known === undefined || !isAskable(name, provider, model)) return false
      const speaks = () => found.get(key)?.speaks.some((format) => format === name) === true
      if (speaks() !== spoke) return true
      // A model that is not there is the same 404.
      if (!asking.has(key) && deps.now() < known.againAt + LASTS_MS.unknown) return false
      known.againAt = deps.now()
      await asked(key, name, provider, model)
      return speaks() !== spoke
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
