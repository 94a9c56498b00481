import { setTimeout as sleep } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Kysely } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { openSqlite } from '../../store/engine/sqlite-connection.ts'
import { sqliteDialect } from '../../store/engine/sqlite-dialect.ts'
import { errorText } from '../../store/engine/store-error.ts'
import { Conversation } from '../../threads/conversation.ts'
import { yieldToServing } from '../../threads/yield-to-serving.ts'
import { forgetHours, keepHours } from '../performance/keep-hours.ts'
import { deleteExpired } from '../retention/retention.ts'
import { emptySpool } from '../spool/empty-spool.ts'
import { BATCH_RECORDS, type Damage, SpoolReader } from '../spool/reader.ts'
import { syncPath } from '../spool/segments.ts'
import { advanceDays } from '../usage/days.ts'
import { expireValues } from '../values/expire-values.ts'
import { closeInterrupted, createFold } from './fold.ts'
import { foldFolder } from './fold-folder.ts'
import type { FoldCommand, FoldReport, FoldSettings, FoldTasks, FoldThreadTasks } from './fold-protocol.ts'
import { createThrottle } from './throttle.ts'

/**
 * Records that arrive together are folded together: one transaction instead of dozens, and most calls have ended in
 * that time, so that they are written once. A usage row is written once for all calls of a batch that it counts.
 * Waiting reads end it early, as do calls that other nodes must see.
 */
const GATHER_MS = 1_000
const FIRST_BACKOFF_MS = 100
const LONGEST_BACKOFF_MS = 5_000
/**
 * A full batch takes a tenth of a second: a server that needs a hundred times as long has vanished, and folding resumes
 * sooner on a new connection. If it was only slow, the position shows whether the batch was committed.
 */
const QUERY_MS = 15_000
/** Batches that come faster (some 2,000 calls a second) are folded in one go: with pauses each record costs two fifths more. */
const CALM_MS = 400
const HOUSEKEEPING_MS = 60_000
const HOUSEKEEPING_PAUSE_MS = 50
const DAY_MS = 86_400_000
/**
 * On one core the thread that serves comes first: its longest wait fell from 172 to 10 ms at 12,000 entries a second.
 * At saturation the fold still keeps up; with 10 it would lag by 80,000 records after ten seconds.
 */
const NICENESS = 5

const settings = workerData as FoldSettings
const parent = parentPort as MessagePort
const spool = new SpoolReader(settings.spoolFolder, (damage) => report({ kind: 'damaged', damage }))
const throttle = createThrottle()
/** Not while older spools are folded, which others wait for, nor at a load that uses the whole core. */
let hasTime = false
const pause = () => {
  if (hasTime) throttle()
}
const db = await openTarget()
const fold = createFold(db, settings.node, { pause, openAfterMs: settings.openAfterMs, claim: settings.claim })

let position: number | null = null
/** Where the position can be after a batch whose end is not known: before it, or behind it. */
let possible: readonly [before: number, behind: number] | null = null
let foldedAt = performance.now()
let asked = false
let hurried = false
/** A reader waits for everything. */
let delivers = false
/** While rows gather, a plain wake-up changes nothing. */
let gathering = false
let stopping = false
const stop = new AbortController()
const begun = Promise.withResolvers<void>()
let wakeUp = () => {}
const main = new Conversation<FoldThreadTasks>(parent, { command: obey } satisfies FoldTasks)

async function openTarget(): Promise<Kysely<Database>> {
  if (settings.target.kind === 'sqlite') {
    const connection = openSqlite(settings.target.path, settings.synchronousFull, pause)
    return new Kysely<Database>({ dialect: sqliteDialect(connection) })
  }
  const { postgresDialect } = await import('../../store/engine/postgres-pool.ts')
  const { url } = settings.target
  const dialect = postgresDialect({ url, connections: 2, queryTimeoutMs: QUERY_MS, onIdleError: () => {} })
  return new Kysely<Database>({ dialect })
}

function report(message: FoldReport): void {
  main.tell('report', message)
}

/** How much was in the spool: nothing, all of it, or so much that there may be more. */
async function foldBatch(isWhole: boolean, upTo = Number.POSITIVE_INFINITY): Promise<'nothing' | 'all' | 'full'> {
  position ??= await knownPosition()
  const batch = spool.read(position).filter(({ seq }) => seq <= upTo)
  const last = batch.at(-1)?.seq ?? position
  const isFull = last - position >= BATCH_RECORDS
  possible = [position, last]
  position = await fold.fold(position, batch, isWhole)
  possible = [position, position]
  return isFull ? 'full' : batch.length > 0 ? 'all' : 'nothing'
}

/** Most calls of a batch have their ends in the next one, if there is one: what is then left out follows at the end. */
async function foldToTheEnd(upTo?: number): Promise<number> {
  while ((await foldBatch(false, upTo)) !== 'nothing') reportPast(settings.node, fold.wholeUpTo(position ?? 0))
  await foldBatch(true, upTo)
  return position ?? 0
}

function reportPast(of: string, seq: number): void {
  report({ kind: 'past', spool: of, seq })
}

/**
 * Records that arrive in between wait for the next round. With a call every other millisecond there is always
 * something, and the loop would not end: a transaction every seven milliseconds, for a handful of records, and no
 * report.
 */
async function foldGathered(isWhole: boolean): Promise<void> {
  while ((await foldBatch(isWhole)) === 'full') {
    // The next one is there already.
    hasTime = false
    reportFolded()
  }
}

function reportFolded(): void {
  const seq = position ?? 0
  report({ kind: 'folded', seq, whole: fold.wholeUpTo(seq) })
}

/** If another process moved the position, rows would be skipped: better to wait for an operator. */
async function knownPosition(): Promise<number> {
  const read = await fold.resume((after) => spool.read(after))
  // Further back it is where a restored backup had it.
  if (possible === null || read <= possible[0] || read === possible[1]) return read
  throw new Error(`another process has delivered as node ${settings.node}: is a copy of the data folder in use?`)
}

/** Retries until it succeeds: the spool keeps everything. Gives up, with null, only to stop. */
async function persistently<T>(work: () => Promise<T>): Promise<T | null> {
  for (let backoffMs = FIRST_BACKOFF_MS; ; backoffMs = Math.min(2 * backoffMs, LONGEST_BACKOFF_MS)) {
    try {
      return await work()
    } catch (error) {
      // The commit may have happened although its answer was lost: only the database knows.
      position = null
      report({ kind: 'failed', message: errorText(error) })
      if (stopping) return null
      await sleep(backoffMs, undefined, { signal: stop.signal }).catch(() => {})
    }
  }
}

async function waitUntilAsked(): Promise<void> {
  if (!asked) await Promise.race([new Promise<void>((resolve) => (wakeUp = resolve)), untilDue()])
  if (!hurried) {
    gathering = true
    const gathered = sleep(settings.gatherMs ?? GATHER_MS, undefined, { ref: false })
    await Promise.race([gathered, new Promise<void>((resolve) => (wakeUp = resolve))])
    gathering = false
  }
  asked = false
  hurried = false
}

/** A beginning that was left out has become old. */
async function untilDue(): Promise<void> {
  const due = fold.nextDue()
  if (due === null) await new Promise(() => {})
  else await sleep(Math.max(0, due - performance.now()), undefined, { ref: false })
}

/** What has time: in small steps, so that the fold and readers get their turn. */
async function runHousekeeping(): Promise<void> {
  const pause = () => sleep(HOUSEKEEPING_PAUSE_MS)
  const { retentionDays, target } = settings
  for (let round = 0; !stopping; round++) {
    try {
      while (!stopping && (await advanceDays(db, target.kind, Date.now()))) await pause()
      while (!stopping && (await keepHours(db, Date.now(), pause))) await pause()
      // Not at once: leaves a minute to notice a retention that is too short.
      if (round > 0 && retentionDays !== null && !stopping) {
        const before = Date.now() - retentionDays * DAY_MS
        await deleteExpired(db, { before, pause })
        await expireValues(db, { before, now: Date.now(), pause })
        await forgetHours(db, before)
      }
    } catch (error) {
      if (!stopping) report({ kind: 'failed', message: `housekeeping: ${errorText(error)}` })
    }
    await sleep(HOUSEKEEPING_MS, undefined, { signal: stop.signal }).catch(() => {})
  }
}

/**
 * Calls of earlier processes: their spools are folded first; what is still open then was interrupted. This process
 * already serves calls; none of them is in the log yet, because their records come later.
 */
async function start(): Promise<void> {
  const { past, node, claim } = settings
  if (past === null) {
    position ??= await knownPosition()
    report({ kind: 'ready', seq: position, interrupted: 0 })
    return
  }
  const damaged = new Set<string>()
  const onDamage = (damage: Damage) => {
    damaged.add(damage.path)
    report({ kind: 'damaged', damage })
  }
  for (const { folder, spool: of, upTo } of past) {
    if (of !== node) await foldFolder(db, folder, { upTo, claim, onDamage, onFolded: (seq) => reportPast(of, seq) })
  }
  const seq = await foldToTheEnd(past.find((own) => own.spool === node)?.upTo)
  const interrupted = await closeInterrupted(db, settings.onlyProcess ? null : node, Date.now())
  const gone = past.filter(({ isGone }) => isGone).map(({ folder }) => folder)
  if (gone.length > 0) emptySpools(gone, damaged, onDamage)
  report({ kind: 'ready', seq, interrupted })
}

function emptySpools(folders: readonly string[], ...how: [ReadonlySet<string>, (damage: Damage) => void]): void {
  const { target } = settings
  try {
    // Committed data must first survive a power cut, as PostgreSQL guarantees.
    if (target.kind === 'sqlite') syncPath(`${target.path}-wal`)
    for (const folder of folders) emptySpool(folder, ...how)
  } catch {
    // All that they hold is in the log: the next start tries again.
  }
}

async function foldOnce(): Promise<void> {
  hasTime = performance.now() - foldedAt > CALM_MS
  const isWhole = delivers
  delivers = false
  await foldGathered(isWhole)
  reportFolded()
  foldedAt = performance.now()
}

async function foldRest(): Promise<void> {
  await foldToTheEnd()
  reportFolded()
}

function obey(command: FoldCommand): void {
  if (command === 'begin' || command === 'stop') begun.resolve()
  if (command === 'begin') return
  asked = true
  hurried ||= command !== 'wake'
  delivers ||= command === 'deliver'
  if (command === 'stop') {
    stopping = true
    stop.abort()
  }
  if (command !== 'wake' || !gathering) wakeUp()
}

yieldToServing(NICENESS)
await begun.promise
await persistently(start)
const housekeeping = settings.runsHousekeeping ? runHousekeeping() : Promise.resolve()
while (!stopping) {
  await waitUntilAsked()
  await persistently(foldOnce)
}
await housekeeping
await persistently(foldRest)
spool.close()
await db.destroy()
parent.close()
