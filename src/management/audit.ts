import { type Kysely, type Selectable, sql } from 'kysely'
import { type Access, coversWorkspace, isFullAccess, namesIn } from '../domain/access.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Database } from '../store/engine/schema.ts'
import type { auditOperations } from './contract/audit.ts'
import { timestamp } from './contract/fields.ts'
import type { ManagementDeps } from './deps.ts'
import { decodeCursor, page } from './requests/cursor.ts'
import type { HandlersOf } from './router.ts'

export function auditHandlers({ db }: ManagementDeps): HandlersOf<Omit<typeof auditOperations, 'audit.restore'>> {
  return {
    async 'audit.list'({ query: { resource, actor, workspace, limit, cursor } }, { access }) {
      const after = decodeCursor(cursor, 1)
      let rows = db
        .selectFrom('audit')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(limit + 1)
      if (resource?.endsWith('/')) {
        rows = rows.where(sql<boolean>`substr(resource, 1, ${sql.lit(resource.length)}) = ${resource}`)
      } else if (resource !== undefined) rows = rows.where('resource', '=', resource)
      if (actor !== undefined) rows = rows.where('actor', '=', actor)
      if (workspace !== undefined) rows = rows.where('workspace', '=', workspace)
      if (after !== null) rows = rows.where('id', '<', String(after[0]))
      if (!isFullAccess(access)) {
        rows =
          access.workspaces === null
            ? rows.where('workspace', 'is not', null)
            : rows.where('workspace', 'in', namesIn(access.workspaces))
      }
      return page(await rows.execute(), limit, toAuditView, (row) => [row.id])
    },
    async 'audit.get'({ params: { id } }, { access }) {
      return toAuditView(await findAuditEntry(db, id, access))
    },
  }
}

/** An entry that the caller may not read is not there. */
export async function findAuditEntry(
  db: Kysely<Database>,
  id: string,
  access: Access,
): Promise<Selectable<Database['audit']>> {
  const row = await db.selectFrom('audit').selectAll().where('id', '=', id).executeTakeFirst()
  if (row !== undefined && mayRead(access, row.workspace)) return row
  throw new GatewayError('not_found', `There is no audit entry '${id}'.`)
}

/** Changes to the gateway itself, including its admin keys and sessions, need full access. */
function mayRead(access: Access, workspace: string | null): boolean {
  return workspace === null ? isFullAccess(access) : coversWorkspace(access, workspace)
}

function toAuditView(row: Selectable<Database['audit']>) {
  return { ...row, at: timestamp(row.at), before: parsed(row.before), after: parsed(row.after) }
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}
