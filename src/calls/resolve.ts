import { GatewayError } from '../domain/errors.ts'
import { type PrefixRule, type Resolved as ResolvedModel, type Route, resolveModel } from '../domain/route.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { closest } from '../domain/wording/closest.ts'
import { named, type Worded, worded } from '../domain/wording/worded.ts'
import { Cached } from './cache/cached.ts'
import type { Deps } from './deps.ts'
import { advance, type Received, type Resolved } from './stages.ts'

/** `model`: where another one than the caller's is asked. */
export function resolve(received: Received, deps: Deps, model = received.body.request.model): Resolved {
  const { key, snapshot, endpoint } = received
  const resolved = advance<Resolved>(received)
  const route = entriesOf(model, key, snapshot, deps.prefixes)
  resolved.resolved = route
  if (route.cache !== undefined && endpoint.isFree !== true) {
    resolved.aspects = [...received.aspects, new Cached(route.cache, deps)]
  }
  return resolved
}

/** The entries of a name: the workspace's alias, else the provider that it names, else that of its prefix. */
export function entriesOf(
  model: string,
  { workspace }: { workspace: string },
  snapshot: Snapshot,
  prefixes: readonly PrefixRule[],
): ResolvedModel {
  const { routes, hasDirectModels } = snapshot.workspaces.get(workspace) ?? NO_WORKSPACE
  const resolved = hasDirectModels
    ? resolveModel(model, routes, prefixes, snapshot.providers)
    : resolveModel(model, routes, [], NO_PROVIDERS)
  if (resolved !== null) return resolved
  if (!hasDirectModels) throw new GatewayError('model_not_found', notARoute(model.slice(0, 200), workspace, routes))
  throw new GatewayError(
    'model_not_found',
    unknownModel(model.slice(0, 200), workspace, routes.keys(), snapshot, prefixes),
  )
}

const NO_WORKSPACE = { routes: new Map<string, Route>(), hasDirectModels: true }
const NO_PROVIDERS: ReadonlyMap<string, unknown> = new Map()

function notARoute(model: string, workspace: string, routes: ReadonlyMap<string, Route>): Worded {
  const alias = closest(model, routes.keys())
  const hint = alias === null ? worded`See GET /v1/models.` : worded`Did you mean '${named(alias)}'?`
  return worded`There is no route '${model}', and workspace '${named(workspace)}' serves routes only. ${hint}`
}

function unknownModel(
  model: string,
  workspace: string,
  aliases: Iterable<string>,
  { providers }: Snapshot,
  prefixes: readonly PrefixRule[],
): Worded {
  const alias = closest(model, aliases)
  if (alias !== null) return worded`There is no model or route '${model}'. Did you mean '${named(alias)}'?`
  const provider = model.slice(0, Math.max(0, model.indexOf('/')))
  if (provider !== '' && !providers.has(provider)) {
    const near = closest(provider, providers.keys())
    if (near !== null) return worded`There is no provider '${provider}'. Did you mean '${named(near)}'?`
    return worded`There is no provider '${provider}'. Configured: ${named([...providers.keys()].join(', '))}.`
  }
  const known = named(prefixes.map((rule) => `${rule.prefix}*`).join(', '))
  return worded`The model '${model}' is neither a route alias of workspace '${named(workspace)}' nor a direct model id (${known}, or provider/model).`
}
