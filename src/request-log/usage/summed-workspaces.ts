import type { Kysely } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'

/** The workspaces that have ever been called, by name; one after the other along the key, for the sums are many. */
export async function summedWorkspaces(db: Kysely<Database>): Promise<string[]> {
  const names: string[] = []
  for (;;) {
    const next = await db
      .selectFrom('usage_hours')
      .select((select) => select.fn.min<string | null>('workspace').as('workspace'))
      .where('workspace', '>', names.at(-1) ?? '')
      .executeTakeFirst()
    const name = next?.workspace ?? null
    if (name === null) return names
    names.push(name)
  }
}
