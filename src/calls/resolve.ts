import { GatewayError } from '../domain/errors.ts'
import { type PrefixRule, type Resolved, resolveModel } from '../domain/route.ts'
import type { Snapshot } from '../domain/snapshot.ts'

/** Which entries a name stands for: the workspace's alias, else the provider its prefix leads to. */
export function resolve(
  model: string,
  { workspace }: { workspace: string },
  snapshot: Snapshot,
  prefixes: readonly PrefixRule[],
): Resolved {
  const routes = snapshot.workspaces.get(workspace)?.routes ?? new Map()
  const resolved = resolveModel(model, routes, prefixes)
  if (resolved !== null) return resolved
  const known = prefixes.map((rule) => `${rule.prefix}*`).join(', ')
  throw new GatewayError(
    'model_not_found',
    `The model '${model.slice(0, 200)}' is neither a route alias of workspace '${workspace}' nor a direct model id (${known}).`,
  )
}
