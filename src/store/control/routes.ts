import type { Kysely } from 'kysely'
import { routesToStepTo } from '../../domain/budgets/stepping-down.ts'
import { type RouteCacheDefinition, routeCache } from '../../domain/cache/route-cache.ts'
import type { Limits } from '../../domain/limits.ts'
import { chainOf, type Route, type RouteDefinition } from '../../domain/route.ts'
import type { Database, ManagedBy, RouteRow } from '../engine/schema.ts'
import { changeControlData } from './control-transaction.ts'
import { jsonOrNull } from './keys.ts'

export interface RouteInput {
  workspace: string
  alias: string
  definition: RouteDefinition
  managedBy: ManagedBy
}

/** The definition as its author wrote it is what is stored; defaults are filled in when it is read. */
export function routeFromRow(row: RouteRow): Route {
  const chain = JSON.parse(row.chain) as RouteDefinition['chain']
  const { alias, description, created_at: createdAt } = row
  const cache = cacheFromRow(row)
  const version = [row.chain, row.interchangeable, createdAt, row.cache_purged_at, row.defaults]
  const defaults = defaultsFromRow(row) ?? undefined
  return {
    ...{ alias, description, ...chainOf(chain, defaults), isInterchangeable: row.interchangeable === 1, createdAt },
    ...(cache && { cache: routeCache(cache, version) }),
    ...(row.compaction === 'refuse' && { refusesCompaction: true }),
    ...(row.prompt_cache === 'auto' && { marksPrompts: true }),
  }
}

export function defaultsFromRow({ defaults }: Pick<RouteRow, 'defaults'>): RouteDefinition['defaults'] | null {
  return defaults === null ? null : (JSON.parse(defaults) as RouteDefinition['defaults'])
}

export function cacheFromRow({ cache }: Pick<RouteRow, 'cache'>): RouteCacheDefinition | null {
  return cache === null ? null : (JSON.parse(cache) as RouteCacheDefinition)
}

export async function findRoute(db: Kysely<Database>, workspace: string, alias: string): Promise<RouteRow | null> {
  const row = await db
    .selectFrom('routes')
    .selectAll()
    .where('workspace', '=', workspace)
    .where('alias', '=', alias)
    .executeTakeFirst()
  return row ?? null
}

export async function findShared(db: Kysely<Database>, alias: string): Promise<RouteRow | null> {
  const rows = db.selectFrom('routes').selectAll().where('alias', '=', alias).where('shared', '=', 1)
  return (await rows.executeTakeFirst()) ?? null
}

/** Which route of its limits a workspace cannot use; null: it can use all of them. */
export async function stepDownProblem(
  db: Kysely<Database>,
  workspace: string,
  limits: Limits | null | undefined,
): Promise<string | null> {
  for (const { path, alias } of limits ? routesToStepTo(limits) : []) {
    const route = (await findRoute(db, workspace, alias)) ?? (await findShared(db, alias))
    if (route === null) return `limits.${path}: there is no route '${alias}' in workspace '${workspace}'`
  }
  return null
}

/** Its own and, where it has none of that name, those that others share. By alias, from the one that the page before ended with. */
export async function listRoutes(
  db: Kysely<Database>,
  { workspace, after, limit }: { workspace: string; after: string | null; limit: number },
): Promise<RouteRow[]> {
  let rows = db
    .selectFrom('routes')
    .selectAll()
    .where(({ or, and, not, eb, exists, selectFrom }) =>
      or([
        eb('workspace', '=', workspace),
        and([
          eb('shared', '=', 1),
          not(
            exists(
              selectFrom('routes as own')
                .select('own.alias')
                .where('own.workspace', '=', workspace)
                .whereRef('own.alias', '=', 'routes.alias'),
            ),
          ),
        ]),
      ]),
    )
    .orderBy('alias')
    .limit(limit)
  if (after !== null) rows = rows.where('alias', '>', after)
  return rows.execute()
}

/** True when something changed. */
export async function putRoute(db: Kysely<Database>, input: RouteInput, now: number): Promise<boolean> {
  const { workspace, alias, definition } = input
  const content = {
    description: definition.description ?? null,
    chain: JSON.stringify(definition.chain),
    interchangeable: definition.interchangeable === true ? 1 : null,
    compaction: definition.compaction === 'refuse' ? ('refuse' as const) : null,
    prompt_cache: definition.prompt_cache === 'auto' ? ('auto' as const) : null,
    cache: jsonOrNull(definition.cache),
    defaults: jsonOrNull(definition.defaults),
    shared: definition.shared === true ? 1 : null,
    managed_by: input.managedBy,
  }
  return changeControlData(db, async (transaction) => {
    const present = await findRoute(transaction, workspace, alias)
    if (present === null) {
      const row: RouteRow = { workspace, alias, ...content, cache_purged_at: null, created_at: now, updated_at: now }
      await transaction.insertInto('routes').values(row).execute()
      return true
    }
    const fields = Object.keys(content) as (keyof typeof content)[]
    if (fields.every((field) => present[field] === content[field])) return false
    await transaction
      .updateTable('routes')
      .set({ ...content, updated_at: now })
      .where('workspace', '=', workspace)
      .where('alias', '=', alias)
      .execute()
    return true
  })
}

/** Stored answers are no longer used, on any node: the time of the purge is part of their cache key. */
export async function purgeCache(db: Kysely<Database>, row: RouteRow, now: number): Promise<number> {
  const { workspace, alias, cache_purged_at: before } = row
  const purgedAt = Math.max(now, (before ?? 0) + 1)
  await changeControlData(db, (transaction) =>
    transaction
      .updateTable('routes')
      .set({ cache_purged_at: purgedAt })
      .where('workspace', '=', workspace)
      .where('alias', '=', alias)
      .execute(),
  )
  return purgedAt
}

export async function deleteRoute(db: Kysely<Database>, workspace: string, alias: string): Promise<boolean> {
  const result = await db
    .deleteFrom('routes')
    .where('workspace', '=', workspace)
    .where('alias', '=', alias)
    .executeTakeFirst()
  return result.numDeletedRows === 1n
}
