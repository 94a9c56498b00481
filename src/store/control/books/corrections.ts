import { type Kysely, sql } from 'kysely'
import type { CorrectedDay } from '../../../domain/budgets/corrections.ts'
import type { CorrectionsTable } from '../../engine/correction-table.ts'
import type { ExactInteger } from '../../engine/exact-integer.ts'
import type { Database } from '../../engine/schema.ts'

interface DayRow {
  workspace: string
  key_id: string
  day: number | string
  charged_high: ExactInteger
  charged_low: ExactInteger
  released_high: ExactInteger
  released_low: ExactInteger
  cost_high: ExactInteger
  cost_low: ExactInteger
}

const PART = 1_000_000n
const DAY_MS = 86_400_000

/** What corrections change in budgets, by key and day. In two parts each, because a sum of 64 bits could overflow. */
export async function correctedDays(db: Kysely<Database>): Promise<DayRow[]> {
  const part = sql.raw(String(PART))
  const sum = (sign: string, operator: string) =>
    sql`cast(sum(case when counted_picodollars ${sql.raw(sign)} 0 then abs(counted_picodollars) ${sql.raw(operator)} ${part} else 0 end) as bigint)`
  const cost = (operator: string) => sql`cast(sum(picodollars ${sql.raw(operator)} ${part}) as bigint)`
  const found = await sql<DayRow>`
    select workspace, key_id, charged_at / ${sql.raw(String(DAY_MS))} as day,
      ${sum('>', '/')} as charged_high, ${sum('>', '%')} as charged_low,
      ${sum('<', '/')} as released_high, ${sum('<', '%')} as released_low,
      ${cost('/')} as cost_high, ${cost('%')} as cost_low
    from corrections
    group by workspace, key_id, charged_at / ${sql.raw(String(DAY_MS))}`.execute(db)
  return found.rows
}

/** By id of the key and by name of the workspace. */
export function correctedOf(rows: readonly DayRow[]): Record<'key' | 'workspace', Map<string, CorrectedDay[]>> {
  const found = { key: new Map<string, CorrectedDay[]>(), workspace: new Map<string, CorrectedDay[]>() }
  for (const row of rows) {
    const each = {
      day: Number(row.day),
      charged: joined(row.charged_high, row.charged_low),
      released: joined(row.released_high, row.released_low),
      cost: joined(row.cost_high, row.cost_low),
    }
    const add = (to: Map<string, CorrectedDay[]>, id: string) => to.set(id, [...(to.get(id) ?? []), each])
    add(found.key, row.key_id)
    add(found.workspace, row.workspace)
  }
  return found
}

function joined(high: ExactInteger, low: ExactInteger): bigint {
  return BigInt(high) * PART + BigInt(low)
}

export async function addCorrections(db: Kysely<Database>, corrections: readonly CorrectionsTable[]): Promise<void> {
  await db.insertInto('corrections').values(corrections).execute()
}

/** Of these calls. */
export async function correctionsOf(db: Kysely<Database>, requestIds: readonly string[]): Promise<CorrectionsTable[]> {
  if (requestIds.length === 0) return []
  return db.selectFrom('corrections').selectAll().where('request_id', 'in', requestIds).execute()
}

/** Newest first, after this id. `workspaces`: null is all of them. */
export async function listCorrections(
  db: Kysely<Database>,
  { workspaces, from, to, after, limit }: CorrectionFilters,
): Promise<CorrectionsTable[]> {
  let found = db.selectFrom('corrections').selectAll()
  if (workspaces !== null) found = found.where('workspace', 'in', workspaces)
  if (from !== null) found = found.where('created_at', '>=', from)
  if (to !== null) found = found.where('created_at', '<', to)
  if (after !== null) found = found.where('id', '<', after)
  return found.orderBy('id', 'desc').limit(limit).execute()
}

export interface CorrectionFilters {
  workspaces: readonly string[] | null
  /** Unix milliseconds: entered at or after `from` and before `to`. */
  from: number | null
  to: number | null
  after: string | null
  limit: number
}
