import { hash } from 'node:crypto'
import type { RouteCache } from '../../domain/cache/route-cache.ts'
import type { Provider } from '../../domain/provider.ts'
import type { ChainEntry } from '../../domain/route.ts'
import { defaultLimitOf, hasHardBudget, payerOf } from '../../limits/payer.ts'
import { translatorFor } from '../../providers/translator-for.ts'
import { traitsOf } from '../chain/assess.ts'
import type { Deps } from '../deps.ts'
import type { Resolved } from '../stages.ts'

/** Another one for every change of what is hashed or stored: nodes of two versions may share a store. */
const FORMAT = 2

type KeyDeps = Pick<Deps, 'families' | 'catalog' | 'pricePercents'>

/**
 * Where the answer of a call is found: a hash of all that its answer depends on. A list as JSON, so that no two lists
 * look the same. Null where its bytes are unknown.
 */
export function cacheKeyOf(call: Resolved, cache: RouteCache, deps: KeyDeps): string | null {
  const { key, endpoint, resolved, body, snapshot } = call
  if (body.hash === null) return null
  const payer = payerOf(key, snapshot)
  const asked = [endpoint.name, resolved.alias, cache.version, body.hash]
  const whose = [key.workspace, cache.scope === 'key' ? key.id : null]
  // Both are sent to the provider where the caller leaves them open.
  const isStrict = hasHardBudget(payer)
  const limits = [defaultLimitOf(payer), isStrict]
  const entries = resolved.chain.map((entry) => partOf(entry, isStrict, call, deps))
  return hash('sha256', JSON.stringify([FORMAT, whose, asked, limits, entries]), 'hex')
}

/**
 * What an entry adds to the bytes of a request: its provider as it is set up now, what is known of its model, to which
 * a request is fitted, and the caller's headers that go there. Under a hard budget, what a provider charges decides
 * which pins it is sent. The price is no part: it decides what is held, which is nothing for a stored answer.
 */
function partOf(entry: ChainEntry, isStrict: boolean, { snapshot, endpoint, receiver }: Resolved, deps: KeyDeps) {
  const provider = snapshot.providers.get(entry.provider)
  const family = provider === undefined ? undefined : deps.families.get(provider.family)
  if (provider === undefined || family === undefined) return null
  const translator = translatorFor(family, endpoint, provider, entry.model)
  const sent = [translator?.forwarded, translator?.carried].map((read) => sorted(read?.(receiver.headers()) ?? {}))
  const { contextWindow, maxOutputTokens, efforts, thinking } = traitsOf(entry, snapshot, deps)
  const mode = snapshot.registry.get(entry.provider)?.get(entry.model)?.mode
  const model = [mode, contextWindow, maxOutputTokens, efforts, thinking]
  return [setupOf(provider), isStrict ? deps.pricePercents.of(provider) : null, model, ...sent]
}

function sorted(fields: Record<string, string>): [string, string][] {
  return Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Providers are immutable values of the snapshot. */
const SETUPS = new WeakMap<Provider, string>()

function setupOf(provider: Provider): string {
  const known = SETUPS.get(provider)
  if (known !== undefined) return known
  // Its answers state the price; it says nothing of them.
  const { pricePercent: _, ...setup } = provider
  const made = hash('sha256', JSON.stringify(setup), 'hex')
  SETUPS.set(provider, made)
  return made
}
