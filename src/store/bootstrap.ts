import type { Kysely } from 'kysely'
import type { KeyKind } from '../domain/key.ts'
import { changeControlData } from './control-transaction.ts'
import { createKey, hasKeys } from './keys.ts'
import type { Database } from './schema.ts'
import { ensureWorkspace } from './workspaces.ts'

export const DEFAULT_WORKSPACE = 'default'

/** The first key of its kind, made when there is none that works; its value, to be shown this once, else null. */
export async function ensureFirstKey(db: Kysely<Database>, kind: KeyKind, now: number): Promise<string | null> {
  return changeControlData(db, async (transaction) => {
    if (await hasKeys(transaction, kind, now)) return null
    const workspace = kind === 'live' ? DEFAULT_WORKSPACE : null
    if (workspace !== null) await ensureWorkspace(transaction, workspace, now)
    const { value } = await createKey(transaction, { kind, workspace, name: 'first' }, now)
    return value
  })
}
