import type { Snapshot } from '../../domain/snapshot.ts'
import type { Catalog } from './catalog.ts'

/** Whether the operator or a provider has named this model; callers may send anything as a direct id. */
export type IsKnown = (provider: string, model: string) => boolean

/** Memory and metric labels are kept for known models only. */
export function knownModels(snapshot: () => Snapshot, catalog: Catalog): IsKnown {
  const inRoutes = new WeakMap<Snapshot, ReadonlySet<string>>()

  function routed(current: Snapshot): ReadonlySet<string> {
    let names = inRoutes.get(current)
    if (names === undefined) {
      const routes = [...current.workspaces.values()].flatMap((workspace) => [...workspace.routes.values()])
      names = new Set(routes.flatMap((route) => route.chain.map((entry) => `${entry.provider}/${entry.model}`)))
      inRoutes.set(current, names)
    }
    return names
  }

  return (provider, model) => {
    const current = snapshot()
    if (current.registry.get(provider)?.has(model) === true) return true
    return catalog.find(provider, model) !== undefined || routed(current).has(`${provider}/${model}`)
  }
}
