import { type CatalogModel, mergeTraits } from '../../domain/provider.ts'
import type { Route } from '../../domain/route.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { catalogOperations } from '../contract/catalog.ts'
import { timestamp } from '../contract/fields.ts'
import type { ManagementDeps } from '../deps.ts'
import { decodeCursor, page } from '../requests/cursor.ts'
import type { HandlersOf } from '../router.ts'
import { checkWorkspace } from '../workspaces.ts'
import { pricesView } from './registry-view.ts'

/** What GET /v1/models lists for a workspace, in the same order, with what the registry knows of it. */
export function catalogHandlers(deps: ManagementDeps): HandlersOf<typeof catalogOperations> {
  return {
    async 'catalog.list'({ query: { workspace, limit, cursor } }) {
      const after = decodeCursor(cursor, 3)
      await checkWorkspace(deps.db, workspace)
      const items = catalogOf(deps.snapshot(), workspace, deps.catalogModels())
      const start = after === null ? 0 : items.findIndex((item) => isBehind(position(item), after))
      return page(
        start < 0 ? [] : items.slice(start, start + limit + 1),
        limit,
        ({ item }) => item,
        (listed) => position(listed),
      )
    },
  }
}

interface Listed {
  /** Empty for an alias: those come first. */
  provider: string
  item: ReturnType<typeof aliasItem>
}

function position({ provider, item }: Listed): string[] {
  return [item.kind, provider, item.id]
}

/** Further along the list: "alias" sorts before "direct", as the list has them. */
function isBehind(found: readonly string[], after: readonly (string | number)[]): boolean {
  for (const [index, part] of found.entries()) {
    const other = String(after[index])
    if (part !== other) return part > other
  }
  return false
}

function catalogOf(snapshot: Snapshot, workspace: string, models: readonly CatalogModel[]): Listed[] {
  const { routes = new Map<string, Route>(), hasDirectModels = true } = snapshot.workspaces.get(workspace) ?? {}
  const direct = new Map(models.map((model) => [JSON.stringify([model.provider, model.id]), model]))
  const entry = (provider: string, model: string) =>
    entryOf(snapshot, provider, model, direct.get(JSON.stringify([provider, model])))
  return [
    ...[...routes.values()]
      .sort((a, b) => (a.alias < b.alias ? -1 : 1))
      .map((route) => ({ provider: '', item: aliasItem(route, entry) })),
    ...models
      .filter((model) => hasDirectModels && !routes.has(model.directId))
      .map((model) => ({
        provider: model.provider,
        item: {
          id: model.directId,
          kind: 'direct' as const,
          owned_by: model.provider,
          created_at: timestamp(model.created * 1000),
          description: null,
          chain: [{ ...entry(model.provider, model.id), place: 1 }],
        },
      })),
  ]
}

type Entry = ReturnType<typeof entryOf>

function aliasItem(route: Route, entry: (provider: string, model: string) => Entry) {
  return {
    id: route.alias,
    kind: 'alias' as 'alias' | 'direct',
    owned_by: `route:${route.chain[0]?.provider ?? ''}`,
    created_at: timestamp(route.createdAt),
    description: route.description,
    chain: (route.places ?? route.chain).flatMap((each, index) => {
      const entries = 'members' in each ? each.members.map((member) => member.entry) : [each]
      return entries.map(({ provider, model }) => ({ ...entry(provider, model), place: index + 1 }))
    }),
  }
}

function entryOf(snapshot: Snapshot, provider: string, model: string, listed: CatalogModel | undefined) {
  const known = snapshot.registry.get(provider)?.get(model)
  const traits = mergeTraits(listed?.traits, known?.traits)
  return {
    provider,
    model,
    mode: known?.mode ?? null,
    ...pricesView(known?.prices ?? null),
    price_version: known?.priceVersion ?? null,
    context_window: traits.contextWindow,
    max_input_tokens: known?.maxInputTokens ?? null,
    max_output_tokens: traits.maxOutputTokens,
    capabilities: [...(known?.capabilities ?? [])],
    efforts: traits.efforts === null ? null : [...traits.efforts],
    deprecated: known?.deprecated ?? false,
    shutdown_date: known?.shutdownDate ?? null,
  }
}
