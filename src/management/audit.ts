import type { auditOperations } from './contract/audit.ts'
import { timestamp } from './contract/fields.ts'
import { decodeCursor, page } from './cursor.ts'
import type { ManagementDeps } from './deps.ts'
import type { HandlersOf } from './router.ts'

export function auditHandlers({ db }: ManagementDeps): HandlersOf<typeof auditOperations> {
  return {
    async 'audit.list'({ query }) {
      const after = decodeCursor(query.cursor, 1)
      let rows = db
        .selectFrom('audit')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(query.limit + 1)
      if (query.resource !== undefined) rows = rows.where('resource', '=', query.resource)
      if (query.actor !== undefined) rows = rows.where('actor', '=', query.actor)
      if (after !== null) rows = rows.where('id', '<', String(after[0]))
      const show = (row: Awaited<ReturnType<typeof rows.execute>>[number]) => ({
        ...row,
        at: timestamp(row.at),
        before: parsed(row.before),
        after: parsed(row.after),
      })
      return page(await rows.execute(), query.limit, show, (row) => [row.id])
    },
  }
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}
