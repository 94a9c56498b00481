import type { Kysely } from 'kysely'
import type { Audited } from '../store/control/audit.ts'
import { readLitellmMaster, writeLitellmMaster } from '../store/control/litellm-master.ts'
import type { Database } from '../store/engine/schema.ts'

const RESOURCE = 'litellm-master-key'

/** Which key is the master key then; no audit entry where that changes nothing. */
export async function changeLitellmMaster(
  db: Kysely<Database>,
  { id, enabled }: { id: string; enabled: boolean },
): Promise<{ keyId: string | null; audit: Audited | null }> {
  const before = await readLitellmMaster(db)
  // Switching off one that is not the master changes nothing.
  const after = enabled ? id : before === id ? null : before
  if (after === before) return { keyId: after, audit: null }
  await writeLitellmMaster(db, after)
  const what = { action: 'keys.litellm-master', workspace: null, resource: RESOURCE }
  return { keyId: after, audit: { ...what, before: { key_id: before }, after: { key_id: after } } }
}

/** Keys that were the master key at some time: it was an operator's choice, if one of them no longer is. */
export async function formerLitellmMasters(db: Kysely<Database>): Promise<Set<string>> {
  const rows = await db.selectFrom('audit').select('after').where('resource', '=', RESOURCE).execute()
  const ids = rows.map(({ after }) => (JSON.parse(after ?? '{}') as { key_id?: string | null }).key_id)
  return new Set(ids.filter((id) => typeof id === 'string'))
}
