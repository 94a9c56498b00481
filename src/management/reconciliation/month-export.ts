import type { Charge } from '../../domain/focus/charges.ts'
import { FOCUS_HEADER, type FocusRecord, focusLine } from '../../domain/focus/columns.ts'
import {
  type BookLine,
  booksOfText,
  type CorrectionLine,
  type LateLine,
  linesOf,
  type OverrideLine,
  picodollarsOf,
  type UsageLine,
} from '../../reconcile/close/month-books.ts'
import { keptSince } from '../../request-log/retention/kept-since.ts'
import { mapInTurns } from '../../store/engine/in-turns.ts'
import type { MonthClosesTable } from '../../store/engine/report-tables.ts'
import { timestamp } from '../contract/fields.ts'
import type { Streamed } from '../contract/operation.ts'
import type { ManagementDeps } from '../deps.ts'
import { chargeRecords } from '../focus.ts'
import { csvText } from './csv-text.ts'
import { spanOf } from './month-draft.ts'

type Format = 'csv' | 'focus' | 'text'

export function exportMonth(
  { reads }: Pick<ManagementDeps, 'reads'>,
  close: MonthClosesTable,
  format: Format,
): Streamed {
  if (format === 'text') return { mediaType: 'text/plain', pieces: one(close.content) }
  const lines = booksOfText(close.content)
  if (format === 'csv') return { mediaType: 'text/csv', pieces: one(csvOf(close.month, lines)) }
  return { mediaType: 'text/csv', pieces: focusOf(reads, close.month, lines) }
}

async function* one(text: string) {
  yield text
}

const CSV_COLUMNS = ['line', 'month', 'workspace', 'key_id', 'key_name', 'provider', 'requests', 'cost_usd', 'note']

/** Everything that is part of the total, a line each. */
function csvOf(month: string, lines: readonly BookLine[]): string {
  const rows = [
    ...linesOf(lines, 'usage').map((each) => ({ ...each, month, note: '' })),
    ...linesOf(lines, 'override').map((each) => ({ ...each, month, note: overrideNote(each) })),
    ...linesOf(lines, 'late').map((each) => ({ ...each, note: 'reached the log after the close of its month' })),
    ...linesOf(lines, 'correction').map((each) => ({
      ...each,
      key_name: null,
      requests: 0,
      note: correctionNote(each),
    })),
  ]
  return csvText(CSV_COLUMNS, rows)
}

function overrideNote({ sentence, reason, by }: OverrideLine): string {
  return `closed anyway by ${by}: ${reason}. ${sentence}`
}

function correctionNote({ id, kind, reason, actor }: CorrectionLine): string {
  return `${kind} ${id} by ${actor}: ${reason}`
}

/**
 * The charges of the rows, and one adjustment for each workspace and key where the rows no longer add up to the closed
 * books: retention has deleted some, or some came after the close.
 */
async function* focusOf(reads: ManagementDeps['reads'], month: string, lines: readonly BookLine[]) {
  yield FOCUS_HEADER
  const span = spanOf(month)
  const since = await keptSince(reads)
  const left = new Map<string, { usage: Adjusted; cost: bigint }>()
  for (const usage of linesOf(lines, 'usage')) {
    // An amount of a lost hedge is the served provider's in sums and its own in charges, so only keys are compared.
    const place = JSON.stringify([usage.workspace, usage.key_id, ...(since >= span.to ? [usage.provider] : [])])
    left.set(place, { usage, cost: (left.get(place)?.cost ?? 0n) + picodollarsOf(usage.cost_usd) })
  }
  const from = Math.max(span.from, Math.floor(since / DAY_MS) * DAY_MS)
  for await (const records of chargeRecords(reads, { from, to: span.to }, false)) {
    for (const { workspace, keyId, keyName, charge } of records) {
      const place = JSON.stringify([workspace, keyId])
      const usage = left.get(place)?.usage ?? { ...NO_USAGE, workspace, key_id: keyId, key_name: keyName }
      left.set(place, { usage, cost: (left.get(place)?.cost ?? 0n) - (charge.billed ?? 0n) })
    }
    yield (await mapInTurns(records, focusLine)).join('')
  }
  const [overridden] = linesOf(lines, 'override')
  const why =
    overridden !== undefined
      ? `closed books, ${overrideNote(overridden)}`
      : since > span.from
        ? `closed books: rows before ${timestamp(Math.min(since, span.to))} are deleted by retention`
        : 'closed books: rows that came after the close belong to a later month'
  for (const { usage, cost } of left.values()) {
    if (cost !== 0n)
      yield focusLine(adjustment(usage, { ...span, month: span.from, name: why, cost, isCorrection: false }))
  }
  for (const each of [...linesOf(lines, 'late'), ...linesOf(lines, 'correction')]) {
    const name = each.line === 'late' ? 'late calls' : each.kind
    const booked = { ...spanOf(each.month), month: span.from, isCorrection: each.month !== month }
    yield focusLine(adjustment(each, { ...booked, name, cost: picodollarsOf(each.cost_usd) }))
  }
}

const DAY_MS = 86_400_000
const NO_USAGE = { provider: '', key_name: null }

type Adjusted = Pick<UsageLine | LateLine, 'workspace' | 'key_id'> & {
  key_name?: string | null
  provider: string | null
  model?: string | null
}

interface Adjustment {
  month: number
  from: number
  to: number
  name: string
  cost: bigint
  isCorrection: boolean
}

function adjustment(
  { workspace, key_id: keyId, key_name: keyName = null, provider, model }: Adjusted,
  { month, from, to, name, cost, isCorrection }: Adjustment,
): FocusRecord {
  const charge: Charge = {
    ...{ provider: provider ?? '', model: model ?? '', class: name, priced: null, quantity: 0n, billed: cost },
    ...{
      list: 0n,
      priceVersion: null,
      tierAbove: null,
      pricePercent: 100,
      usageSource: null,
      unconfirmed: null,
      resale: null,
    },
  }
  return { day: from, workspace, keyId, keyName, charge, booked: { month, from, to, isCorrection } }
}
