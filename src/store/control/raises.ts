import type { Kysely, Transaction } from 'kysely'
import type { ValueScope } from '../../domain/budgets/each.ts'
import type { Raise } from '../../domain/budgets/raises.ts'
import type { BudgetRaisesTable } from '../engine/raises-table.ts'
import type { Database } from '../engine/schema.ts'

export async function activeRaises(db: Kysely<Database>, now: number): Promise<Raise[]> {
  const rows = await db
    .selectFrom('budget_raises')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('until', '>', now)
    .execute()
  return rows.map((row) => ({ scope: raisedScope(row), usd: row.usd, until: row.until }))
}

export function raisedScope({ workspace, key_id: keyId, kind, of_name: of, value }: BudgetRaisesTable): ValueScope {
  return { workspace, keyId, kind: kind as ValueScope['kind'], of, value }
}

export interface RaiseFilter {
  /** Null: of all. */
  workspaces: readonly string[] | null
  /** Only those that count at this moment. */
  activeAt: number | null
  /** The id of the last row before. */
  after: string | null
  limit: number
}

/** The newest first. */
export async function listRaises(
  db: Kysely<Database>,
  { workspaces, activeAt, after, limit }: RaiseFilter,
): Promise<BudgetRaisesTable[]> {
  let rows = db.selectFrom('budget_raises').selectAll().orderBy('id', 'desc').limit(limit)
  if (workspaces !== null) rows = rows.where('workspace', 'in', [...workspaces, ''])
  if (activeAt !== null) rows = rows.where('ended_at', 'is', null).where('until', '>', activeAt)
  if (after !== null) rows = rows.where('id', '<', after)
  return rows.execute()
}

export async function findRaise(db: Kysely<Database>, id: string): Promise<BudgetRaisesTable | undefined> {
  return db.selectFrom('budget_raises').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function addRaise(db: Transaction<Database>, row: BudgetRaisesTable): Promise<void> {
  await db.insertInto('budget_raises').values(row).execute()
}

export async function endRaise(db: Transaction<Database>, id: string, now: number): Promise<void> {
  await db.updateTable('budget_raises').set({ ended_at: now }).where('id', '=', id).execute()
}
