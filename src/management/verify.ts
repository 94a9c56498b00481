import { asPicodollars, exactUsd } from '../domain/pricing/price.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { LogDifference, LogPlace } from '../request-log/verify/log-difference.ts'
import { checkLog } from '../request-log/verify/verify-log.ts'
import { timestamp } from './contract/fields.ts'
import type { LedgerView, ManagementDeps } from './deps.ts'
import { decodeCursor, encodeCursor } from './requests/cursor.ts'
import { scopeNames } from './scope-names.ts'

/** Rows are checked for so long in one answer. */
const PAGE_MS = 500

interface VerifyQuery {
  from?: string | undefined
  cursor?: string | undefined
}

/** The counters with the first page; the rows page by page, however many there are. */
export async function verify(deps: ManagementDeps, { from, cursor }: VerifyQuery) {
  const after = placeOf(cursor)
  const counters = after === null ? await verifyCounters(deps.ledger, deps.snapshot()) : NO_COUNTERS
  if (after === null) await deps.caughtUp()
  const until = performance.now() + PAGE_MS
  const isEnough = () => performance.now() > until || deps.stopping.aborted
  const found = await checkLog(deps.reads, { from: from === undefined ? null : Date.parse(from), after, isEnough })
  const { rows, unpriced, hours, differences, next } = found
  return {
    ...counters,
    rows: { checked: rows, unpriced, hours, differences: differences.map(toDifferenceView) },
    next_cursor: next === null ? null : encodeCursor([next.workspace, next.hour, next.startedAt, next.id]),
  }
}

const NO_COUNTERS = { checked: 0, busy: 0, differences: [] }

async function verifyCounters(ledger: LedgerView, snapshot: Snapshot) {
  const { scopes, busy, differences } = await ledger.verify()
  const named = scopeNames(snapshot)
  return {
    checked: scopes,
    busy: busy.length,
    differences: differences.map(({ scope, counter, ledger, log }) => ({
      ...named(scope),
      counter,
      ledger: figure(ledger),
      log: figure(log),
    })),
  }
}

function placeOf(cursor: string | undefined): LogPlace | null {
  const parts = decodeCursor(cursor, 4)
  if (parts === null) return null
  const [workspace, hour, startedAt, id] = parts
  return { workspace: String(workspace), hour: Number(hour), startedAt: Number(startedAt), id: String(id) }
}

function toDifferenceView({ id, workspace, keyId, at, figure: name, stored, computed }: LogDifference) {
  const isMoney = name === 'cost' || name === 'unconfirmed'
  const text = (value: bigint | null) => (value === null ? null : isMoney ? figure(value) : String(value))
  return {
    ...{ id, workspace, key_id: keyId, at: timestamp(at), figure: isMoney ? (`${name}_usd` as const) : name },
    ...{ stored: text(stored), computed: text(computed) },
  }
}

/** Money is whole picodollars there, everything else a plain number. */
function figure(value: bigint | number): string {
  if (typeof value === 'number') return String(value)
  return value < 0n ? `-${exactUsd(asPicodollars(-value))}` : exactUsd(asPicodollars(value))
}
