import type { JsonObject } from '../../domain/request/call-request.ts'
import { type ChainContext, placesOf } from './chains.ts'
import type { Deployment } from './deployment.ts'
import type { MappedRoute } from './mapped-config.ts'
import { approximate, manual } from './notes.ts'
import type { Fallbacks } from './router.ts'
import type { MappedSettings } from './settings.ts'

export interface RouteInput {
  /** By the name that callers send; of a team's own model with the team before it. */
  groups: ReadonlyMap<string, readonly Deployment[]>
  aliases: ReadonlyMap<string, string>
  fallbacks: Fallbacks
  cache: MappedSettings['cache']
}

const MOST_PLACES = 10
const MOST_ENTRIES = 20

/** Whose models take each other's place only where a route says so: vectors, scores and voices differ. */
const DIFFERS: ReadonlySet<string> = new Set(['embedding', 'rerank', 'audio_speech'])

/** Every route, and the names that its chain is made of. */
export function buildRoutes(input: RouteInput, context: ChainContext) {
  const places = new Map([...input.groups].map(([name, group]) => [name, placesOf(group, context)]))
  const routes = new Map<string, MappedRoute>()
  const chainNames = new Map<string, readonly string[]>()
  for (const name of [...input.groups.keys(), ...input.aliases.keys()]) {
    const group = groupOf(name, input)
    const names = namesOf(name, input, context)
    chainNames.set(name, names)
    const chain = cut(
      names.flatMap((each) => places.get(input.aliases.get(each) ?? each) ?? []),
      name,
      context,
    )
    routes.set(name, routeOf(name, group, chain, input.cache))
  }
  return { routes, chainNames }
}

function groupOf(name: string, { groups, aliases }: RouteInput): readonly Deployment[] {
  return groups.get(aliases.get(name) ?? name) ?? []
}

/** Depth first, no name twice; fallbacks are looked up under the name that was asked for. */
function namesOf(start: string, input: RouteInput, { notes }: ChainContext): string[] {
  const { fallbacks } = input
  const mode = groupOf(start, input)[0]?.mode
  const found: string[] = []
  const follow = (name: string, depth: number) => {
    if (found.includes(name) || depth > fallbacks.most) return
    found.push(name)
    const next = fallbacks.of.get(name) ?? (depth === 0 ? fallbacks.others : [])
    for (const each of next) follow(each, depth + 1)
  }
  follow(start, 0)
  if (mode !== 'embedding' || found.length === 1) return found
  notes.general(
    `routes.${start}`,
    manual(
      `its fallbacks ${found.slice(1).join(', ')} are left out: vectors of two models cannot be compared`,
      'tighter',
    ),
  )
  return [start]
}

type Place = JsonObject & { members?: JsonObject[] }

function cut(chain: readonly Place[], name: string, { notes }: ChainContext): Place[] {
  const unique = [...new Map(chain.map((place) => [JSON.stringify(place), place])).values()]
  const kept: Place[] = []
  let entries = 0
  for (const place of unique) {
    entries += place.members?.length ?? 1
    if (kept.length === MOST_PLACES || entries > MOST_ENTRIES) break
    kept.push(place)
  }
  if (kept.length < unique.length) {
    const message = `its chain is cut: at most ${MOST_PLACES} places and ${MOST_ENTRIES} entries`
    notes.general(`routes.${name}`, approximate(`route "${name}"`, message, 'tighter'))
  }
  return kept
}

function routeOf(
  name: string,
  group: readonly Deployment[],
  chain: Place[],
  cache: MappedSettings['cache'],
): MappedRoute {
  const mode = group[0]?.mode ?? 'chat'
  const models = new Set(group.map(({ model }) => model))
  const [first] = group
  return {
    alias: first?.teamId ? first.alias : name,
    mode,
    accessGroups: [...new Set(group.flatMap(({ accessGroups }) => accessGroups))],
    teamId: first?.teamId ?? null,
    modelIds: group.flatMap(({ id }) => id ?? []),
    entries: chain
      .flatMap((place) => place.members ?? [place])
      .map(({ provider, model }) => ({ provider: String(provider), model: String(model) })),
    definition: {
      chain,
      // LiteLLM treats all deployments of one name as the same model.
      ...(DIFFERS.has(mode) && models.size > 1 && { interchangeable: true }),
      ...(cache?.modes.has(mode) && { cache: { ttl_seconds: cache.ttl_seconds, scope: 'workspace' } }),
      shared: true,
    },
  }
}
