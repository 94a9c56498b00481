import type { Kysely } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** By workspace and session: when a person has resumed it. */
export type ResumedSessions = ReadonlyMap<string, ReadonlyMap<string, number>>

/** Longer than any stop lasts. */
const KEPT_MS = 2 * 86_400_000

export async function readResumedSessions(db: Kysely<Database>): Promise<ResumedSessions> {
  const rows = await db.selectFrom('resumed_sessions').selectAll().execute()
  const resumed = new Map<string, Map<string, number>>()
  for (const { workspace, session, resumed_at: at } of rows) {
    const known = resumed.get(workspace) ?? new Map<string, number>()
    resumed.set(workspace, known.set(session, at))
  }
  return resumed
}

/** Returns when: later than any time before, so that every node takes it for news. */
export async function resumeSession(
  db: Kysely<Database>,
  { workspace, session }: { workspace: string; session: string },
  now: number,
): Promise<number> {
  await db
    .deleteFrom('resumed_sessions')
    .where('resumed_at', '<', now - KEPT_MS)
    .execute()
  const of = { workspace, session }
  const before = await db
    .selectFrom('resumed_sessions')
    .select('resumed_at')
    .where('workspace', '=', workspace)
    .where('session', '=', session)
    .executeTakeFirst()
  const resumed_at = Math.max(now, Number(before?.resumed_at ?? 0) + 1)
  await db
    .insertInto('resumed_sessions')
    .values({ ...of, resumed_at })
    .onConflict((conflict) => conflict.columns(['workspace', 'session']).doUpdateSet({ resumed_at }))
    .execute()
  return resumed_at
}
