import type { Kysely } from 'kysely'
import { GatewayError } from '../domain/errors.ts'
import { definedEntries, mixedEmbeddings, type RouteDefinition } from '../domain/route.ts'
import {
  cacheFromRow,
  defaultsFromRow,
  deleteRoute,
  findRoute,
  findShared,
  listRoutes,
  purgeCache,
  putRoute,
} from '../store/control/routes.ts'
import type { Database, RouteRow } from '../store/engine/schema.ts'
import { timestamp } from './contract/fields.ts'
import type { routeOperations } from './contract/routes.ts'
import { change, type ManagementDeps } from './deps.ts'
import { decodeCursor, page } from './requests/cursor.ts'
import type { Context, HandlersOf } from './router.ts'
import { checkWorkspace } from './workspaces.ts'

export function routeHandlers(deps: ManagementDeps): HandlersOf<typeof routeOperations> {
  return {
    async 'routes.list'({ query: { workspace, limit, cursor } }) {
      const after = decodeCursor(cursor, 1)
      await checkWorkspace(deps.db, workspace)
      const wanted = { workspace, after: after === null ? null : String(after[0]), limit: limit + 1 }
      return page(await listRoutes(deps.db, wanted), limit, toRouteView, (row) => [row.alias])
    },
    'routes.put': ({ params: { alias }, query: { workspace }, body }, context) =>
      change(deps, context, async (transaction) => {
        await checkWorkspace(transaction, workspace)
        const present = await findRoute(transaction, workspace, alias)
        const before = present === null ? null : toRouteView(present)
        if (present !== null) checkOwner(present)
        context.checkMatch(before)
        if (body.shared === true || present?.shared === 1) checkMayShare(context)
        if (body.shared === true) await checkOnlyShared(transaction, workspace, alias)
        await checkChain(transaction, body.chain)
        const mixed = mixedEmbeddings(
          body,
          (entry) => deps.snapshot().registry.get(entry.provider)?.get(entry.model)?.mode,
        )
        if (mixed !== null) throw new GatewayError('invalid_request', mixed)
        const isNew = await putRoute(transaction, { workspace, alias, definition: body, managedBy: null }, context.now)
        if (present === null) context.created()
        const result = toRouteView(await existingRoute(transaction, workspace, alias))
        return { result, audit: isNew ? routeAuditEntry('routes.put', result, before, result) : null }
      }),
    async 'routes.get'({ params, query }) {
      await checkWorkspace(deps.db, query.workspace)
      const own = await findRoute(deps.db, query.workspace, params.alias)
      return toRouteView(own ?? (await findShared(deps.db, params.alias)) ?? noRoute(query.workspace, params.alias))
    },
    'routes.delete': ({ params: { alias }, query: { workspace } }, context) =>
      change(deps, context, async (transaction) => {
        await checkWorkspace(transaction, workspace)
        const present = await existingRoute(transaction, workspace, alias)
        checkOwner(present)
        if (present.shared === 1) checkMayShare(context)
        const before = toRouteView(present)
        context.checkMatch(before)
        await deleteRoute(transaction, workspace, alias)
        return { result: undefined, audit: routeAuditEntry('routes.delete', before, before, null) }
      }),
    'routes.purge-cache': ({ params: { alias }, query: { workspace } }, context) =>
      change(deps, context, async (transaction) => {
        await checkWorkspace(transaction, workspace)
        const present = await existingRoute(transaction, workspace, alias)
        await purgeCache(transaction, present, context.now)
        const result = toRouteView(await existingRoute(transaction, workspace, alias))
        return { result, audit: routeAuditEntry('routes.purge-cache', result, toRouteView(present), result) }
      }),
  }
}

type RouteView = ReturnType<typeof toRouteView>

function routeAuditEntry(
  action: string,
  { alias, workspace }: RouteView,
  before: RouteView | null,
  after: RouteView | null,
) {
  return { action, workspace, resource: `routes/${alias}`, before, after }
}

async function existingRoute(db: Kysely<Database>, workspace: string, alias: string): Promise<RouteRow> {
  return (await findRoute(db, workspace, alias)) ?? noRoute(workspace, alias)
}

function noRoute(workspace: string, alias: string): never {
  throw new GatewayError('not_found', `There is no route '${alias}' in workspace '${workspace}'.`)
}

/** It would change what callers of every workspace reach. */
function checkMayShare({ access }: Context): void {
  if (access.workspaces === null) return
  throw new GatewayError('forbidden', 'shared: only an admin key with access to every workspace can change this route.')
}

async function checkOnlyShared(db: Kysely<Database>, workspace: string, alias: string): Promise<void> {
  const other = await findShared(db, alias)
  if (other === null || other.workspace === workspace) return
  throw new GatewayError('conflict', `shared: workspace '${other.workspace}' already shares a route '${alias}'.`)
}

function checkOwner(row: RouteRow): void {
  if (row.managed_by !== 'config') return
  throw new GatewayError(
    'managed_by_config',
    `The route '${row.alias}' is managed by the configuration file. Change it in switchyard.yaml.`,
  )
}

async function checkChain(db: Kysely<Database>, chain: RouteDefinition['chain']): Promise<void> {
  const names = new Set((await db.selectFrom('providers').select('name').execute()).map(({ name }) => name))
  for (const { provider, path } of definedEntries(chain)) {
    if (names.has(provider)) continue
    const known = [...names].sort().join(', ')
    throw new GatewayError(
      'invalid_request',
      `${path}.provider: there is no provider '${provider}'; there are: ${known}`,
    )
  }
}

/** The chain as its author wrote it: what was put is what is got. */
function toRouteView(row: RouteRow) {
  return {
    alias: row.alias,
    workspace: row.workspace,
    description: row.description,
    chain: JSON.parse(row.chain) as RouteDefinition['chain'],
    interchangeable: row.interchangeable === 1,
    compaction: row.compaction ?? ('emulate' as const),
    prompt_cache: row.prompt_cache ?? ('keep' as const),
    cache: cacheFromRow(row),
    defaults: defaultsFromRow(row) ?? null,
    shared: row.shared === 1,
    cache_purged_at: row.cache_purged_at === null ? null : timestamp(row.cache_purged_at),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    managed_by: row.managed_by === 'config' ? ('config' as const) : null,
  }
}
