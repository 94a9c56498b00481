import { isConfigured } from '../../domain/provider.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { Catalog } from './catalog.ts'

/**
 * A model for a first call: an alias of the default workspace, else the cheapest chat model that is in both the
 * provider's list and the registry, or in the registry alone while no list is read. Null without a configured provider.
 */
export function exampleModel(snapshot: Snapshot, catalog: Catalog): string | null {
  const [alias] = [...(snapshot.workspaces.get('default')?.routes.keys() ?? [])].sort()
  if (alias !== undefined) return alias
  const configured = [...snapshot.providers.values()].filter(isConfigured).map(({ name }) => name)
  if (configured.length === 0) return null
  const listed = catalog.models()
  const registered = configured.flatMap((provider) =>
    [...(snapshot.registry.get(provider)?.values() ?? [])].map((each) => ({ ...each, of: each.provider, provider })),
  )
  const known =
    listed.length > 0
      ? listed
      : registered.map(({ provider, of, model: id }) => ({
          ...{ provider, id },
          // Where the models are those of its vendor, only its own name leads to it.
          directId: of === provider ? id : `${provider}/${id}`,
        }))
  const priced = known.flatMap(({ provider, id, directId }) => {
    const model = snapshot.registry.get(provider)?.get(id)
    const output = model?.price.base?.output
    return model?.mode === 'chat' && !model.deprecated && output !== undefined ? [{ id: directId, output }] : []
  })
  priced.sort((a, b) => Number(a.output - b.output))
  return priced[0]?.id ?? listed[0]?.directId ?? null
}
