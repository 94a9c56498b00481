import { isConfigured } from '../domain/provider.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Catalog } from './catalog.ts'

/**
 * A name that a first call can use: an alias of the default workspace, else the cheapest chat model that is in both the
 * provider's list and the registry. Null while no provider is configured.
 */
export function exampleModel(snapshot: Snapshot, catalog: Catalog): string | null {
  const [alias] = [...(snapshot.workspaces.get('default')?.routes.keys() ?? [])].sort()
  if (alias !== undefined) return alias
  if (![...snapshot.providers.values()].some(isConfigured)) return null
  const priced = catalog.models().flatMap(({ provider, id }) => {
    const model = snapshot.registry.get(provider)?.get(id)
    const output = model?.price.base?.output
    return model?.mode === 'chat' && !model.deprecated && output !== undefined ? [{ id, output }] : []
  })
  priced.sort((a, b) => Number(a.output - b.output))
  return priced[0]?.id ?? catalog.models()[0]?.id ?? null
}
