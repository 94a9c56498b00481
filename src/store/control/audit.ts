import type { Kysely } from 'kysely'
import { newId } from '../../domain/new-id.ts'
import type { AuditRow, Database } from '../engine/schema.ts'

/** One change, as the audit log keeps it. `before` and `after` are what the API shows: never a secret. */
export interface AuditEntry {
  actor: { id: string; name: string }
  /** `keys.create`, `routes.put` … */
  action: string
  workspace: string | null
  /** `keys/01j…`, `routes/fast` … */
  resource: string
  before: unknown
  after: unknown
}

/** The change itself, before it is known who made it. */
export type Audited = Omit<AuditEntry, 'actor'>

/** Call it in the transaction of the change itself: neither exists without the other. */
export async function writeAudit(db: Kysely<Database>, entry: AuditEntry, now: number): Promise<void> {
  await db.insertInto('audit').values(auditRow(entry, now)).execute()
}

/** Many changes of one transaction, in one statement. */
export async function writeAudits(db: Kysely<Database>, entries: readonly AuditEntry[], now: number): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map((entry) => auditRow(entry, now))
  await db.insertInto('audit').values(rows).execute()
}

function auditRow(entry: AuditEntry, now: number): AuditRow {
  return {
    id: newId(now),
    at: now,
    actor: entry.actor.id,
    actor_name: entry.actor.name,
    action: entry.action,
    workspace: entry.workspace,
    resource: entry.resource,
    before: textOrNull(entry.before),
    after: textOrNull(entry.after),
  }
}

/** The newest row about a resource, its values as they are stored. */
export async function lastAudit(db: Kysely<Database>, resource: string): Promise<AuditRow | null> {
  const rows = db.selectFrom('audit').selectAll().where('resource', '=', resource)
  return (await rows.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value)
}
