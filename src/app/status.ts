import type { Deps } from '../calls/deps.ts'
import type { GatewayStatus } from '../domain/gateway-status.ts'
import { isConfigured, type Provider } from '../domain/provider.ts'
import type { Health } from './handle-health.ts'

/** What is fixed for the life of the process. */
export type Identity = Pick<GatewayStatus, 'version' | 'node' | 'engine' | 'startedAt' | 'streaming'>

/** All of it is in memory, so reading it is cheap even on a busy gateway. */
export function readStatus(identity: Identity, health: Health, deps: Deps): GatewayStatus {
  const { lagRows, lastError } = health.log()
  const circuits = [...deps.circuits.states()]
  return {
    ...identity,
    phase: health.phase(),
    inFlight: deps.metrics.inFlight.value,
    log: { lagRows, lastError },
    catalog: health.catalog.lists(),
    providers: [...deps.snapshot().providers.values()].sort(byName).map((provider) => ({
      name: provider.name,
      family: provider.family,
      configured: isConfigured(provider),
      circuits: circuits
        .filter((circuit) => circuit.provider === provider.name && circuit.state !== 'closed')
        .map(({ model, state, until }) => ({ model, state, until })),
      health: deps.providerHealth.of(provider.name),
    })),
  }
}

function byName(a: Provider, b: Provider): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
