import { hash } from 'node:crypto'
import type { RouteCache } from '../../domain/cache/route-cache.ts'
import type { Provider } from '../../domain/provider.ts'
import type { ChainEntry } from '../../domain/route.ts'
import { defaultLimitOf, hasHardBudget, payerOf } from '../../limits/payer.ts'
import { translatorFor } from '../../providers/translator-for.ts'
import type { Deps } from '../deps.ts'
import type { Resolved } from '../stages.ts'

/** Another one for every change of what is hashed or stored: nodes of two versions may share a store. */
const FORMAT = 1

/**
 * Where the answer of a call is found: a hash of all that its answer depends on. A list as JSON, so that no two lists
 * look the same. Null where its bytes are unknown.
 */
export function cacheKeyOf(call: Resolved, cache: RouteCache, deps: Pick<Deps, 'families'>): string | null {
  const { key, endpoint, resolved, body, snapshot } = call
  if (body.hash === null) return null
  const payer = payerOf(key, snapshot)
  const asked = [endpoint.name, resolved.alias, cache.version, body.hash]
  const whose = [key.workspace, cache.scope === 'key' ? key.id : null]
  // Both are sent to the provider where the caller leaves them open.
  const limits = [defaultLimitOf(payer), hasHardBudget(payer)]
  const entries = resolved.chain.map((entry) => partOf(entry, call, deps))
  return hash('sha256', JSON.stringify([FORMAT, whose, asked, limits, entries]), 'hex')
}

/** What an entry adds to the bytes of a request: its provider as it is set up now, and the caller's headers that go there. */
function partOf(entry: ChainEntry, { snapshot, endpoint, receiver }: Resolved, { families }: Pick<Deps, 'families'>) {
  const provider = snapshot.providers.get(entry.provider)
  const family = provider === undefined ? undefined : families.get(provider.family)
  if (provider === undefined || family === undefined) return null
  const translator = translatorFor(family, endpoint, provider, entry.model)
  const sent = [translator?.forwarded, translator?.carried].map((read) => sorted(read?.(receiver.headers()) ?? {}))
  return [setupOf(provider), ...sent]
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
