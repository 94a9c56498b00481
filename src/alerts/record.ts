import { type Kysely, sql, type Transaction } from 'kysely'
import type { AlertEvent, Condition, Severity } from '../domain/alerts/alert.ts'
import { reaches } from '../domain/alerts/channel.ts'
import type { AlertRule } from '../domain/alerts/rules.ts'
import { newId } from '../domain/new-id.ts'
import { oneLine } from '../domain/wording/one-line.ts'
import { listChannels } from '../store/control/alert-channels.ts'
import type { AlertRow, Database } from '../store/engine/schema.ts'
import { databaseNow, isServer } from './database-clock.ts'
import { type Decision, decide, type Findings } from './decide.ts'
import { enqueue } from './outbox.ts'

/** Any number, but the same for every node of one database. */
const ADVISORY_LOCK = 7_201_944_314

export interface RecordOptions {
  now(): number
  /** An alert ends when no node has seen it for this long. */
  graceMs: number
  /** Alerts found within this time are sent in one message. */
  groupMs: number
}

/**
 * Compares what is true now with what is known, and writes the new state together with the messages about it: neither
 * exists without the other. One node at a time, so that two who see the same say it once. True: an
 * alert is open, or was until now.
 */
export async function recordFindings(
  db: Kysely<Database>,
  findings: Findings,
  options: RecordOptions,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (isServer(db)) await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCK)})`.execute(transaction)
    const now = await databaseNow(transaction, options.now)
    const open = await transaction.selectFrom('alerts').selectAll().where('resolved_at', 'is', null).execute()
    const firedBefore = await findFired(transaction, findings.conditions)
    const decision = decide(open, findings, { now, graceMs: options.graceMs, firedBefore })
    const begun = decision.begin.map((condition) => newAlert(condition, now))
    if (begun.length > 0) await transaction.insertInto('alerts').values(begun).execute()
    const fired = [...decision.fire.map((row) => ({ ...row, fired_at: now })), ...begun.filter(hasFired)]
    await apply(transaction, decision, now)
    const resolved = decision.resolve.map((row) => ({ ...row, resolved_at: now }))
    const events = [...fired, ...resolved].map(toEvent)
    const isOpen = open.length + begun.length > 0
    if (!isOpen) return false
    const ended = new Set([...resolved.map(({ id }) => id), ...decision.end])
    const firing = [...open.filter((row) => hasFired(row) && !ended.has(row.id)), ...fired].map(toEvent)
    const unheard = await newChannels(transaction, now)
    for (const channel of await listChannels(transaction)) {
      const about = { isEnabled: channel.enabled === 1, minSeverity: channel.min_severity as Severity }
      const its = (unheard.has(channel.id) ? firing : events).filter(({ severity }) => reaches(about, severity))
      if (its.length > 0) await enqueue(transaction, channel.id, its, { now, groupMs: options.groupMs })
    }
    return isOpen
  })
}

const DAY_MS = 86_400_000

/** Channels without a message about an alert: they start with all open ones. Messages are kept much longer than a day. */
async function newChannels(db: Transaction<Database>, now: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('alert_channels')
    .select('id')
    .where('created_at', '>', now - DAY_MS)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('alert_deliveries')
            .select('alert_deliveries.id')
            .whereRef('channel_id', '=', 'alert_channels.id')
            // A test message is about no alert.
            .where('events', '!=', '[]'),
        ),
      ),
    )
    .execute()
  return new Set(rows.map(({ id }) => id))
}

async function findFired(db: Transaction<Database>, conditions: readonly Condition[]): Promise<Set<string>> {
  const once = conditions.filter(({ isOnce }) => isOnce).map(({ identity }) => identity)
  if (once.length === 0) return new Set()
  const rows = await db.selectFrom('alerts').select('identity').where('identity', 'in', once).execute()
  return new Set(rows.map(({ identity }) => identity))
}

async function apply(db: Transaction<Database>, decision: Decision, now: number): Promise<void> {
  const change = async (ids: readonly string[], values: Partial<AlertRow>) => {
    if (ids.length > 0) await db.updateTable('alerts').set(values).where('id', 'in', ids).execute()
  }
  await change(decision.renew, { seen_at: now })
  await change(
    decision.fire.map(({ id }) => id),
    { fired_at: now },
  )
  await change([...decision.resolve.map(({ id }) => id), ...decision.end], { resolved_at: now })
  if (decision.forget.length > 0) await db.deleteFrom('alerts').where('id', 'in', decision.forget).execute()
}

function newAlert(condition: Condition, now: number): AlertRow {
  const { identity, rule, severity, subject, workspace, summary, forMs, holdMs } = condition
  // They name models, and callers choose those names.
  const about = { identity, rule, severity, subject: oneLine(subject), workspace, summary: oneLine(summary) }
  const fired_at = forMs === 0 ? now : null
  return { id: newId(now), ...about, since: now, seen_at: now, hold_ms: holdMs, fired_at, resolved_at: null }
}

function hasFired(row: AlertRow): boolean {
  return row.fired_at !== null
}

function toEvent(row: AlertRow): AlertEvent {
  return {
    alertId: row.id,
    state: row.resolved_at === null ? 'firing' : 'resolved',
    rule: row.rule as AlertRule,
    severity: row.severity as Severity,
    subject: row.subject,
    workspace: row.workspace,
    summary: row.summary,
    firedAt: row.fired_at ?? row.since,
    resolvedAt: row.resolved_at,
  }
}

const ALERTS_KEPT_MS = 90 * 86_400_000
const DELIVERIES_KEPT_MS = 30 * 86_400_000

export async function dropOldAlerts(db: Kysely<Database>, now: number): Promise<void> {
  await db
    .deleteFrom('alerts')
    .where('resolved_at', '<', now - ALERTS_KEPT_MS)
    .execute()
  await db
    .deleteFrom('alert_deliveries')
    .where('finished_at', '<', now - DELIVERIES_KEPT_MS)
    .execute()
}
