import type { Kysely } from 'kysely'
import type { Database } from '../store/engine/schema.ts'
import { MOVE_SETTING } from '../store/engine/unfinished-move.ts'

/** How far a table is. */
export interface TableMark {
  /** The key of the last row that was moved; null at the beginning. */
  after: readonly unknown[] | null
  rows: number
  /** Zero characters that became U+FFFD: PostgreSQL has no text with one in it. */
  zeros: number
  isDone: boolean
}

/** In the target's settings from the first to the last row, and kept there as a note. */
export interface Mark {
  from: string
  /** What the source was when it began: another one, or one that has been used since, does not go on here. */
  fingerprint: string
  begun_at: number
  finished_at: number | null
  has_control: boolean
  tables: Record<string, TableMark>
}

export const UNTOUCHED: TableMark = { after: null, rows: 0, zeros: 0, isDone: false }

export async function readMark(target: Kysely<Database>): Promise<Mark | null> {
  const row = await target.selectFrom('settings').select('value').where('name', '=', MOVE_SETTING).executeTakeFirst()
  return row === undefined ? null : (JSON.parse(row.value) as Mark)
}

export async function writeMark(target: Kysely<Database>, mark: Mark): Promise<void> {
  const value = JSON.stringify(mark)
  await target
    .insertInto('settings')
    .values({ name: MOVE_SETTING, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

export function zerosOf(mark: Mark | null): number {
  return Object.values(mark?.tables ?? {}).reduce((sum, { zeros }) => sum + zeros, 0)
}
