import type { Kysely } from 'kysely'
import type { Drift } from '../domain/alerts/drift.ts'
import type { AlertRule } from '../domain/alerts/rules.ts'
import type { GatewayStatus } from '../domain/gateway-status.ts'
import { channelFromRow, findChannel } from '../store/control/alert-channels.ts'
import { type AllRules, readAllRules } from '../store/control/alert-rules.ts'
import type { Database } from '../store/engine/schema.ts'
import type { Secrets } from '../store/engine/secrets.ts'
import { type BudgetUse, refusingBudgets } from './budget-use.ts'
import { databaseNow } from './database-clock.ts'
import type { Findings } from './decide.ts'
import { deliver, type Ways } from './deliver.ts'
import { judge } from './judge.ts'
import { type LoopRow, readLoops } from './loops.ts'
import { type Claimed, claim, finish, hasPending } from './outbox.ts'
import { readDays, readHours, readRefusedKeys } from './read-traffic.ts'
import { dropOldAlerts, recordFindings } from './record.ts'
import { readStated, type StatedRow } from './stated.ts'
import { recentRows, type Sample, stillNeeded, type TrafficRow } from './traffic.ts'

export interface WatchParts {
  db: Kysely<Database>
  /** For the sums of days. */
  reads: Kysely<Database>
  secrets: Secrets
  everyMs: number
  now(): number
  workspaces(): readonly string[]
  /** Null: this node cannot say. */
  budgets(): Promise<readonly BudgetUse[] | null>
  providers(): Promise<GatewayStatus['providers']>
  /**
   * The same as long as nothing has been logged or written that a look could find, an hour at most; null: other gateways
   * write to the same database.
   */
  mark(): string | null
  /** What no cause explains of providers' reports; null: that is being worked out. */
  drifts(): Promise<readonly Drift[] | null>
  backlog(): { id: string; name: string; lagSeconds: number; lagRows: number }
  ways: Ways
  /** That the database is down is said by those who need it more. */
  onProblem(error: unknown): void
}

export interface Watch {
  /** As the last look found them. */
  budgets(): readonly BudgetUse[]
  stop(): Promise<void>
}

/** The sums change by the minute, the days by the day. */
const TICKS_A_SAMPLE = 6
const TICKS_A_DAY_LOOK = 360
/** Three looks: two may fail, or another node be late. */
const GRACE_TICKS = 3

interface Seen {
  budgets: readonly BudgetUse[]
  samples: Sample[]
  days: readonly TrafficRow[]
  /** When they were read. */
  sampledAt: number
  daysAt: number
  refused: Awaited<ReturnType<typeof readRefusedKeys>>
  stated: readonly StatedRow[]
  loops: readonly LoopRow[]
}

/** Looks at the gateway now and then, writes down what has changed, and sends what is due. No call waits for it. */
export function watchAlerts(parts: WatchParts): Watch {
  const { db, everyMs, now } = parts
  const never = Number.NEGATIVE_INFINITY
  const seen: Seen = {
    budgets: [],
    samples: [],
    days: [],
    sampledAt: never,
    daysAt: never,
    refused: [],
    stated: [],
    ...{ loops: [] },
  }
  const recording = { now, graceMs: GRACE_TICKS * everyMs, groupMs: everyMs }
  /** The mark at a check that found nothing pending. */
  let quiet: string | null = null
  let isStopped = false
  let running: Promise<void> = Promise.resolve()

  /** Whether nothing was found, and nothing is in progress. */
  async function look(): Promise<boolean> {
    const isFolded = parts.backlog().lagRows === 0
    const isRead = await readTraffic(parts, seen)
    const findings = await evaluateRules(parts, seen, await readAllRules(db))
    const isOpen = await recordFindings(db, findings, recording)
    const isCalm = recentRows(seen.samples).every(({ requests }) => requests === 0)
    return isFolded && isRead && isCalm && !isOpen && findings.unknown.size === 0
  }

  /** An idle gateway leaves its database alone, whose thread can end. */
  async function round(): Promise<void> {
    const mark = parts.mark()
    if (mark === null || mark !== quiet) {
      quiet = null
      const isQuiet = await look().catch(parts.onProblem)
      const isAllSent = await sendDue(parts).catch(parts.onProblem)
      if (isQuiet === true && isAllSent === true) quiet = mark
    }
    if (!isStopped) timer = setTimeout(next, everyMs).unref()
  }
  const next = () => {
    running = round()
  }
  let timer = setTimeout(next, everyMs).unref()
  return {
    budgets: () => seen.budgets,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/** True: they are read as of now. Only the days may be many rows. The others need no second connection, which would be kept open for them. */
async function readTraffic({ db, reads, workspaces, now, everyMs }: WatchParts, seen: Seen): Promise<boolean> {
  const names = workspaces()
  const at = now()
  const isDue = (ticks: number, last: number) => at - last > (ticks - 0.5) * everyMs
  if (!isDue(TICKS_A_SAMPLE, seen.sampledAt)) return false
  if (isDue(TICKS_A_DAY_LOOK, seen.daysAt)) {
    seen.days = await readDays(reads, names, at)
    if (seen.daysAt > 0) await dropOldAlerts(db, at)
    seen.daysAt = at
  }
  seen.samples = stillNeeded([...seen.samples, { at, rows: await readHours(db, names, at) }], at)
  seen.refused = await readRefusedKeys(db, names, at)
  seen.stated = await readStated(db, names, at)
  seen.loops = await readLoops(db, names, at)
  seen.sampledAt = at
  return true
}

/** Everything that is true now. What cannot be asked for is unknown, not over. */
async function evaluateRules(parts: WatchParts, seen: Seen, { builtin, own }: AllRules): Promise<Findings> {
  const unknown = new Set<AlertRule>()
  const budgets = await parts.budgets().catch(() => null)
  if (budgets === null) unknown.add('budget')
  const uses = budgets ?? []
  seen.budgets = uses
  const drifts = await parts.drifts().catch(() => null)
  if (drifts === null) unknown.add('reconciliation_drift')
  const facts = {
    uses,
    refusing: refusingBudgets(uses, seen.refused),
    providers: await parts.providers(),
    recent: recentRows(seen.samples),
    days: seen.days,
    hours: seen.samples.at(-1)?.rows ?? [],
    stated: seen.stated,
    loops: seen.loops,
    drifts: drifts ?? [],
    node: parts.backlog(),
  }
  return { conditions: judge(facts, builtin, own), unknown }
}

/** In turns of a few, until nothing is due. Whether nothing waits for its time, either. */
async function sendDue(parts: WatchParts): Promise<boolean> {
  const { db, now } = parts
  for (;;) {
    const claimed = await claim(db, await databaseNow(db, now))
    if (claimed.length === 0) return !(await hasPending(db))
    await Promise.all(claimed.map((one) => sendOne(parts, one)))
  }
}

async function sendOne({ db, secrets, ways, now }: WatchParts, claimed: Claimed): Promise<void> {
  const row = await findChannel(db, claimed.channelId)
  if (row === null) return
  const { id, events, createdAt: at } = claimed
  const problem = await deliver(channelFromRow(row, secrets), { id, at, events, isTest: false }, { ...ways, now })
  await finish(db, claimed, problem, await databaseNow(db, now))
}
