import { PERIODS } from '../domain/budgets/budget-period.ts'
import { emptyStatus, type LoggedScope, type Scope, type ScopeStatus, WINDOW_SECONDS } from './ledger.ts'
import type { SpendLedger } from './spend-ledger.ts'

/** A counter that differs from the rows. */
export interface LedgerDifference {
  scope: Scope
  /** E.g. `month.spent`, `requests_last_minute`. */
  counter: string
  ledger: bigint | number
  log: bigint | number
}

export interface Verification {
  scopes: number
  differences: LedgerDifference[]
  /** Scopes that changed during every reading, so that their money was only bounded, not compared. */
  busy: Scope[]
}

/** How often and for how long the ledger is read. */
interface Pace {
  /** Calls start and end all the time; a scope is compared as soon as it did not change while the rows were read. */
  rounds: number
  /** Between two readings: time for the ledger to learn of a new row, or for rows to arrive. */
  pauseMs: number
  /** This many readings in a row must find the same difference. */
  agreeing: number
}

const ALONE: Pace = { rounds: 6, pauseMs: 20, agreeing: 2 }
/**
 * Rows of other nodes arrive later than their changes to the ledger, those of running calls after ten seconds, so a
 * difference must persist to count.
 */
const SEVERAL: Pace = { rounds: 32, pauseMs: 500, agreeing: 25 }

/**
 * Recomputes every counter from the rows. `read` must return what is logged up to now. A row is written shortly before
 * the ledger learns of it, so a difference counts only when further readings find it unchanged. For a scope that never
 * rests the check is: the rows contain what was spent before the reading, and no more than was spent or held after it.
 */
export async function verifyLedger(
  ledger: SpendLedger,
  read: (now: number) => Promise<LoggedScope[]>,
): Promise<Verification> {
  const differences: LedgerDifference[] = []
  const done = new Set<string>()
  const { rounds, pauseMs, agreeing } = ledger.isShared ? SEVERAL : ALONE
  let seen = new Map<string, { text: string; times: number }>()
  let busy: Scope[] = []
  /** By the last reading, the log also has what other nodes had spent. */
  const first = new Map<string, ScopeStatus>()
  for (let round = 1; round <= rounds; round++) {
    if (round > 1) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    const looked = await look(ledger, read, done)
    const before = seen
    seen = new Map()
    busy = []
    for (const [name, { earlier, later, rows }] of looked) {
      const found = isUnchanged(earlier, later)
        ? exactDifferences(later, rows, { now: ledger.now(), isShared: ledger.isShared })
        : null
      if (found !== null) {
        const text = `${later.changes} ${found.map((each) => Object.values(each).join()).join(' ')}`
        const last = before.get(name)
        const times = last?.text === text ? last.times + 1 : 1
        if (found.length === 0 || times === agreeing) {
          differences.push(...found)
          done.add(name)
          continue
        }
        seen.set(name, { text, times })
      }
      if (round === 1) first.set(name, earlier)
      const from = ledger.isShared ? (first.get(name) ?? earlier) : earlier
      if (round === rounds) differences.push(...boundDifferences(from, later, rows))
      busy.push(earlier.scope)
    }
    if (busy.length === 0) break
  }
  return { scopes: done.size + busy.length, differences, busy }
}

interface Look {
  earlier: ScopeStatus
  later: ScopeStatus
  rows: LoggedScope | undefined
}

/** The ledger before and after, the rows in between, for every scope that either of them knows. */
async function look(
  ledger: SpendLedger,
  read: (now: number) => Promise<LoggedScope[]>,
  done: ReadonlySet<string>,
): Promise<Map<string, Look>> {
  const at = ledger.now()
  const before = await statuses(ledger)
  const logged = new Map((await read(at)).map((scope) => [nameOf(scope.scope), scope]))
  const scopes = new Map<string, Scope>()
  for (const { scope } of [...before.values(), ...logged.values()]) {
    if (!done.has(nameOf(scope))) scopes.set(nameOf(scope), scope)
  }
  const looked = new Map<string, Look>()
  for (const later of await ledger.status([...scopes.values()])) {
    const name = nameOf(later.scope)
    // The ledger did not know this scope, so nothing had happened to it.
    const earlier = before.get(name) ?? emptyStatus(later.scope, at)
    looked.set(name, { earlier, later, rows: logged.get(name) })
  }
  return looked
}

function nameOf({ kind, id }: Scope): string {
  return `${kind} ${id}`
}

async function statuses(ledger: SpendLedger): Promise<Map<string, ScopeStatus>> {
  const found = await ledger.status(await ledger.scopes())
  return new Map(found.map((status) => [nameOf(status.scope), status]))
}

function isUnchanged(earlier: ScopeStatus, later: ScopeStatus): boolean {
  return earlier.changes === later.changes && earlier.periods.day.startsAt === later.periods.day.startsAt
}

/**
 * Shared counters are compared exactly only in what was spent: they also hold idle leases, and a node that died may
 * have counted calls without a row.
 */
function exactDifferences(
  status: ScopeStatus,
  rows: LoggedScope | undefined,
  { now, isShared }: { now: number; isShared: boolean },
): LedgerDifference[] {
  const { scope, periods } = status
  const oldest = Math.floor(now / 1000) - WINDOW_SECONDS
  const recent = (rows?.seconds ?? []).filter(({ second }) => second > oldest)
  const sum = (kind: 'requests' | 'tokens') => recent.reduce((total, second) => total + second[kind], 0)
  const pairs: [counter: string, ledger: bigint | number, log: bigint | number][] = [
    ...PERIODS.flatMap((period): typeof pairs => [
      [`${period}.spent`, periods[period].spent, rows?.spent[period] ?? 0n],
      [`${period}.held`, periods[period].held, rows?.held[period] ?? 0n],
    ]),
    ['requests_last_minute', status.requestsLastMinute, sum('requests')],
    ['tokens_last_minute', status.tokensLastMinute, sum('tokens')],
    ['in_flight', status.inFlight, rows?.inFlight ?? 0],
  ]
  const differs = (counter: string, ours: bigint | number, theirs: bigint | number) =>
    isShared && !counter.endsWith('.spent') ? ours < theirs : ours !== theirs
  return pairs
    .filter(([counter, ours, theirs]) => differs(counter, ours, theirs))
    .map(([counter, ours, theirs]) => ({ scope, counter, ledger: ours, log: theirs }))
}

function boundDifferences(earlier: ScopeStatus, later: ScopeStatus, rows: LoggedScope | undefined): LedgerDifference[] {
  return PERIODS.flatMap((period) => {
    const [from, to] = [earlier.periods[period], later.periods[period]]
    const log = rows?.spent[period] ?? 0n
    if (from.startsAt !== to.startsAt || (from.spent <= log && log <= to.spent + to.held)) return []
    return [{ scope: later.scope, counter: `${period}.spent`, ledger: to.spent, log }]
  })
}
