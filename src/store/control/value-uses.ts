import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** When the values of keys were last let in. */
export interface ValueUses {
  note(valueId: string, at: number): void
  /** Writes down what has been noted; rejects when it could not, and keeps it for the next time. */
  write(): Promise<void>
  /** Writes once more, unless the database takes too long for it. */
  stop(): Promise<void>
}

const EVERY_MS = 10_000
const STOP_MS = 2_000
const ROWS_AT_ONCE = 500

/**
 * In memory, because a call waits for no database, and written now and then: a process that is killed forgets the last
 * seconds of it, which the request log still has by the key.
 */
export function keepValueUses(db: Kysely<Database>): ValueUses {
  let noted = new Map<string, number>()

  async function write(): Promise<void> {
    const taken = noted
    noted = new Map()
    const rows = [...taken]
    try {
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
        await writeUses(db, rows.slice(from, from + ROWS_AT_ONCE))
      }
    } catch (error) {
      noted = new Map([...taken, ...noted])
      throw error
    }
  }

  // While the database is down there is nothing to say that others do not say already.
  const timer = setInterval(() => void write().catch(() => {}), EVERY_MS).unref()
  return {
    note: (valueId, at) => void noted.set(valueId, at),
    write,
    async stop() {
      clearInterval(timer)
      await Promise.race([write().catch(() => {}), sleep(STOP_MS, undefined, { ref: false })])
    },
  }
}

/** Other nodes write the same rows: the latest time stays. */
async function writeUses(db: Kysely<Database>, uses: readonly (readonly [id: string, at: number])[]): Promise<void> {
  const cases = uses.map(([id, at]) => sql`when ${id} then ${sql.lit(at)}`)
  const time = sql<number>`case id ${sql.join(cases, sql` `)} end`
  await db
    .updateTable('key_values')
    .set({ last_used_at: time })
    .where(
      'id',
      'in',
      uses.map(([id]) => id),
    )
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', time)]))
    .execute()
}
