import { PERIODS } from '../domain/budget-period.ts'
import { type LoggedScope, newAccount, type Scope, type ScopeStatus, statusOf } from '../domain/ledger.ts'
import { WINDOW_SECONDS } from '../domain/minute-window.ts'
import type { SpendLedger } from './ledger.ts'

/** A counter that is not what the rows say. */
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
  /** Scopes that changed at every look, so that only their money could be bounded, not compared. */
  busy: Scope[]
}

/**
 * Calls end all the time; a scope is compared as soon as nothing happened to it while the rows were read. A call whose
 * row is closed a moment before the ledger hears of it looks like a difference once: a true one stays at every look.
 */
const ROUNDS = 5

/**
 * Recomputes every counter from the rows. `read` must return what is logged up to now. A scope that never rests is
 * held to this: what was spent before the reading is in the rows, and what is in the rows has been spent after it.
 */
export async function verifyLedger(
  ledger: SpendLedger,
  read: (now: number) => Promise<LoggedScope[]>,
): Promise<Verification> {
  const differences: LedgerDifference[] = []
  const done = new Set<string>()
  let busy: Scope[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const at = ledger.now()
    const before = statuses(ledger)
    const logged = new Map((await read(at)).map((scope) => [nameOf(scope.scope), scope]))
    for (const [name, { scope }] of logged) {
      // It had no account before the reading, which is one that nothing has happened to.
      if (!before.has(name)) before.set(name, statusOf(newAccount(scope, at), at))
    }
    busy = []
    for (const [name, earlier] of before) {
      if (done.has(name)) continue
      const later = ledger.status(earlier.scope)
      const rows = logged.get(name)
      if (isUnchanged(earlier, later)) {
        const found = exactDifferences(later, rows, ledger.now())
        if (found.length > 0 && round < ROUNDS) {
          busy.push(earlier.scope)
          continue
        }
        differences.push(...found)
        done.add(name)
      } else {
        if (round === ROUNDS) differences.push(...boundDifferences(earlier, later, rows))
        busy.push(earlier.scope)
      }
    }
    if (busy.length === 0) break
  }
  return { scopes: done.size + busy.length, differences, busy }
}

function nameOf({ kind, id }: Scope): string {
  return `${kind} ${id}`
}

function statuses(ledger: SpendLedger): Map<string, ScopeStatus> {
  return new Map([...ledger.scopes()].map((scope) => [nameOf(scope), ledger.status(scope)]))
}

function isUnchanged(earlier: ScopeStatus, later: ScopeStatus): boolean {
  return earlier.changes === later.changes && earlier.periods.day.startsAt === later.periods.day.startsAt
}

function exactDifferences(status: ScopeStatus, rows: LoggedScope | undefined, now: number): LedgerDifference[] {
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
  return pairs
    .filter(([, ours, theirs]) => ours !== theirs)
    .map(([counter, ours, theirs]) => ({ scope, counter, ledger: ours, log: theirs }))
}

function boundDifferences(earlier: ScopeStatus, later: ScopeStatus, rows: LoggedScope | undefined): LedgerDifference[] {
  return PERIODS.flatMap((period) => {
    const [from, to] = [earlier.periods[period], later.periods[period]]
    const log = rows?.spent[period] ?? 0n
    if (from.startsAt !== to.startsAt || (from.spent <= log && log <= to.spent)) return []
    return [{ scope: later.scope, counter: `${period}.spent`, ledger: to.spent, log }]
  })
}
