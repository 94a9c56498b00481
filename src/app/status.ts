import type { CircuitView } from '../calls/chain/circuits.ts'
import type { Deps } from '../calls/deps.ts'
import type { GatewayStatus, ProviderHealth, ProviderStatus } from '../domain/gateway-status.ts'
import { isConfigured, type Provider } from '../domain/provider.ts'
import type { Health } from './handle-health.ts'
import type { ThreadStatus } from './threads/thread-protocol.ts'

/** What is fixed for the life of the process. */
export type Identity = Pick<GatewayStatus, 'version' | 'node' | 'engine' | 'startedAt' | 'streaming' | 'threads'>

/** All of it is in memory, so reading it is cheap even on a busy gateway. `others`: what other threads have seen. */
export function readStatus(
  identity: Identity,
  health: Health,
  deps: Deps,
  others: readonly ThreadStatus[],
): GatewayStatus {
  const { lagRows, lastError } = health.log()
  const inFlight = others.reduce((sum, other) => sum + other.inFlight, deps.metrics.inFlight.value)
  return {
    ...identity,
    phase: health.phase(),
    inFlight,
    log: { lagRows, lastError },
    catalog: health.catalog.lists(),
    providers: readProviders(deps, others),
  }
}

/** By name. */
export function readProviders(deps: Deps, others: readonly ThreadStatus[]): ProviderStatus[] {
  const circuits = worstOf([deps.circuits.states(), ...others.map((other) => other.circuits)])
  return [...deps.snapshot().providers.values()].sort(byName).map((provider) => ({
    name: provider.name,
    family: provider.family,
    configured: isConfigured(provider),
    circuits: circuits
      .filter((circuit) => circuit.provider === provider.name && circuit.state !== 'closed')
      .map(({ model, state, until }) => ({ model, state, until })),
    health: joinHealth([deps.providerHealth.of(provider.name), ...healthsOf(provider.name, others)]),
  }))
}

/** A circuit is as open as on the thread where it is most. */
function worstOf(threads: readonly Iterable<CircuitView>[]): CircuitView[] {
  const worst = new Map<string, CircuitView>()
  for (const view of threads.flatMap((views) => [...views])) {
    const name = `${view.provider}/${view.model}`
    const known = worst.get(name)
    if (known === undefined || (view.until ?? 0) > (known.until ?? 0)) worst.set(name, view)
  }
  return [...worst.values()]
}

function healthsOf(provider: string, threads: readonly ThreadStatus[]): ProviderHealth[] {
  return threads.flatMap(({ health }) => health.flatMap(([name, seen]) => (name === provider ? [seen] : [])))
}

/** Calls add up; of times and errors the latest counts. */
function joinHealth(all: readonly ProviderHealth[]): ProviderHealth {
  return all.reduce((one, other) => ({
    recentCalls: one.recentCalls + other.recentCalls,
    recentErrors: one.recentErrors + other.recentErrors,
    lastSuccessAt: Math.max(one.lastSuccessAt ?? 0, other.lastSuccessAt ?? 0) || null,
    lastError: (other.lastError?.at ?? 0) > (one.lastError?.at ?? 0) ? other.lastError : one.lastError,
  }))
}

function byName(a: Provider, b: Provider): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
