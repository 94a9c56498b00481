import type { Kysely } from 'kysely'
import { definedEntries, type RouteDefinition } from '../../domain/route.ts'
import type { Database } from '../engine/schema.ts'

/** The routes of any workspace whose chain names this provider. */
export async function routesUsing(
  db: Kysely<Database>,
  provider: string,
): Promise<{ workspace: string; alias: string }[]> {
  const rows = await db
    .selectFrom('routes')
    .select(['workspace', 'alias', 'chain'])
    .orderBy('workspace')
    .orderBy('alias')
    .execute()
  return rows.flatMap(({ workspace, alias, chain }) => {
    const entries = definedEntries(JSON.parse(chain) as RouteDefinition['chain'])
    return entries.some((entry) => entry.provider === provider) ? [{ workspace, alias }] : []
  })
}
