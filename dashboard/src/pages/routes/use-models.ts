import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useAll } from '../../api/hooks.ts'
import { type KnownModel, modelsOf } from './route-checks.ts'

/** The models of a provider by id; undefined until they are known. Entries of the same provider ask once. */
export function useModels(
  provider: string,
  catalog: readonly Item<'catalog.list'>[] | undefined,
): ReadonlyMap<string, KnownModel> | undefined {
  const registry = useAll('registry.list', { query: { provider } }, { enabled: provider !== '' })
  // While another provider's models load, the answer still has the previous one's: they must not be shown as this
  // one's.
  const rows = registry.isPlaceholderData ? undefined : registry.data
  return useMemo(() => {
    if (rows === undefined || catalog === undefined) return undefined
    return modelsOf(provider, rows, catalog)
  }, [provider, rows, catalog])
}
