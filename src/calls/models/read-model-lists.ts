import { isConfigured } from '../../domain/provider.ts'
import type { PrefixRule } from '../../domain/route.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { AuthorizeDeps } from '../../providers/authorize.ts'
import { FAMILIES } from '../../providers/families.ts'
import { builtinProviders } from '../../providers/provider-kinds.ts'
import type { Log } from '../../telemetry/log.ts'
import { startCatalog } from './catalog.ts'

/** Starts reading the model lists of providers. */
export function readModelLists(
  snapshot: Snapshot,
  prefixes: readonly PrefixRule[],
  deps: AuthorizeDeps,
  { log, onRead }: { log: Log; onRead(): void },
) {
  return startCatalog({
    sources: catalogSources(snapshot),
    prefixes,
    ...deps,
    onRead(provider, count) {
      log.info({ provider, models: count }, 'model list read')
      onRead()
    },
    onFailure: (provider, reason) => log.warn({ provider, reason }, 'model list not read; retrying later'),
  })
}

/** The providers with a prefix, and those whose settings ask for it. */
function catalogSources({ providers }: Snapshot) {
  return [...providers.values()].flatMap((provider) => {
    const family = FAMILIES.get(provider.family)
    const isMeant =
      builtinProviders().some(({ name }) => name === provider.name) || family?.isListed?.(provider) === true
    return family !== undefined && isMeant && isConfigured(provider) ? [{ provider, family }] : []
  })
}
