import type { Kysely } from 'kysely'
import { routesToStepTo } from '../../domain/budgets/stepping-down.ts'
import type { Limits } from '../../domain/limits.ts'
import type { Database } from '../engine/schema.ts'
import { findRoute, findShared } from './routes.ts'

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
