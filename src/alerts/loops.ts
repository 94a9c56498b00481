import type { Kysely } from 'kysely'
import type { Condition } from '../domain/alerts/alert.ts'
import type { AlertRules } from '../domain/alerts/rules.ts'
import { HOUR_MS } from '../request-log/usage/rollup.ts'
import type { Database } from '../store/engine/schema.ts'

/** A call of a session that looks like a loop. */
export interface LoopRow {
  workspace: string
  keyId: string
  /** Null: nothing names it. */
  session: string | null
  signal: string
  code: string | null
}

/** Of one session a few thousand in an hour: enough to find many sessions. */
const MOST_READ = 5_000

/** Of the last hour, newest first. Few rows are part of a loop: an index has only those. */
export async function readLoops(db: Kysely<Database>, workspaces: readonly string[], now: number): Promise<LoopRow[]> {
  if (workspaces.length === 0) return []
  const rows = await db
    .selectFrom('requests')
    .select(['workspace', 'key_id', 'session', 'loop', 'code'])
    .where('workspace', 'in', workspaces)
    .where('started_at', '>=', now - HOUR_MS)
    .where('loop', 'is not', null)
    .orderBy('started_at', 'desc')
    .limit(MOST_READ)
    .execute()
  return rows.flatMap(({ workspace, key_id: keyId, session, loop, code }) =>
    (loop ?? '').split(',').map((signal) => ({ workspace, keyId, session, signal, code })),
  )
}

const WHAT: Readonly<Record<string, string>> = {
  same_tool_call: 'repeats the same tool call',
  calls_a_minute: 'makes more calls a minute than allowed',
  context_growth: 'sends more and more uncached input',
  spend_times_usual: 'spends far more than other sessions of its key',
}

const DONE: Readonly<Record<string, string>> = {
  loop_stopped: 'it was stopped',
  loop_slowed: 'it was slowed down',
}

/** Once for a session and signal. */
export function loopConditions(rows: readonly LoopRow[], { enabled }: AlertRules['loop']): Condition[] {
  if (!enabled) return []
  const found = new Map<string, Condition>()
  for (const { workspace, keyId, session, signal, code } of rows) {
    const identity = `loop ${keyId} ${workspace} ${signal} ${session ?? ''}`
    const done = DONE[code ?? '']
    if (found.has(identity) && done === undefined) continue
    const subject = session === null ? 'sessions without a name' : `session ${session}`
    const action = done ?? 'its calls pass'
    if (found.get(identity)?.severity === 'critical') continue
    found.set(identity, {
      identity,
      rule: 'loop',
      severity: code === 'loop_stopped' ? 'critical' : 'warning',
      subject,
      workspace,
      summary: `${subject} in ${workspace} ${WHAT[signal] ?? 'looks like a loop'}: ${action}`,
      forMs: 0,
      holdMs: 60_000,
      isOnce: session !== null,
      supersedes: [],
    })
  }
  return [...found.values()]
}
