import { signedUsd } from '../../domain/pricing/price.ts'
import { type Blocker, blockersOf } from '../../reconcile/close/blockers.ts'
import { lateLines } from '../../reconcile/close/late.ts'
import {
  type BookLine,
  booksOfText,
  type CorrectionLine,
  linesOf,
  totalLine,
  type UsageLine,
} from '../../reconcile/close/month-books.ts'
import { extentOf } from '../../reconcile/line.ts'
import { summarize } from '../../reconcile/summary.ts'
import { missingRows } from '../../request-log/reconcile/missing-rows.ts'
import { firstSummedHour, monthSums } from '../../request-log/reconcile/month-sums.ts'
import { keptSince } from '../../request-log/retention/kept-since.ts'
import { summedWorkspaces } from '../../request-log/usage/summed-workspaces.ts'
import { correctionsBefore, findMonthClose, listMonthCloses } from '../../store/control/books/month-closes.ts'
import { listImports } from '../../store/control/books/reports.ts'
import type { CorrectionsTable } from '../../store/engine/correction-table.ts'
import type { MonthClosesTable } from '../../store/engine/report-tables.ts'
import { timestamp } from '../contract/fields.ts'
import type { ManagementDeps } from '../deps.ts'
import { compareMonth } from './compare.ts'

type Deps = Pick<ManagementDeps, 'reads' | 'snapshot'>

/** Everything of a month but its first line. */
export interface MonthDraft {
  lines: BookLine[]
  blockers: Blocker[]
  previous: Pick<MonthClosesTable, 'month' | 'sha256'> | null
  rowsDeletedBefore: string | null
}

export function spanOf(month: string): { from: number; to: number } {
  return {
    from: Date.parse(`${month}-01T00:00:00Z`),
    to: Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 1),
  }
}

export function monthOf(time: number): string {
  return timestamp(time).slice(0, 7)
}

/** `2026-09`, `2026-10`: from the first to the one before the last. */
export function monthsFrom(first: string, end: string): string[] {
  const months: string[] = []
  for (let month = first; month < end; month = monthOf(spanOf(month).to)) months.push(month)
  return months
}

/** What closing the month would freeze now, and why it cannot be closed, if it cannot. */
export async function draftMonth(deps: Deps, { month, now }: { month: string; now: number }): Promise<MonthDraft> {
  const { reads } = deps
  const { from, to } = spanOf(month)
  const closed = await listMonthCloses(reads)
  const closes: BookLine[][] = []
  for (const each of closed) closes.push(booksOfText((await findMonthClose(reads, each.month))?.content ?? ''))
  const names = await keyNames(deps)
  const lines: BookLine[] = (await monthSums(reads, { from, to })).map(
    ({ workspace, keyId, provider, requests, cost, unconfirmedEstimate, unconfirmedMost }): UsageLine => ({
      ...{ line: 'usage', workspace, key_id: keyId, key_name: names(keyId), provider, requests: Number(requests) },
      ...{ cost_usd: signedUsd(cost), unconfirmed_estimate_usd: signedUsd(unconfirmedEstimate) },
      unconfirmed_most_usd: signedUsd(unconfirmedMost),
    }),
  )
  for (const earlier of monthsFrom(closed[0]?.month ?? month, month)) {
    lines.push(...lateLines({ month: earlier, present: await monthSums(reads, spanOf(earlier)) }, closes, names))
  }
  lines.push(...correctionLines(await correctionsBefore(reads, to), { closes, from }))
  const { attributed, foreign, importedFor } = await compareMonth(deps, { month, provider: null, now })
  lines.push(
    ...(await reportLines(
      deps,
      attributed.map(({ cell }) => cell),
      importedFor,
    )),
    ...differenceLines(attributed),
    ...foreign.map(
      ({ provider, account, amount }): BookLine => ({
        ...{ line: 'foreign', provider, account, theirs_usd: amount === null ? null : signedUsd(amount) },
      }),
    ),
  )
  const since = await keptSince(reads)
  const first = await firstSummedHour(reads)
  const used = first === null ? [] : monthsFrom(monthOf(first), month)
  const usedMonths: string[] = []
  for (const each of used) if (await hasCalls(deps, each)) usedMonths.push(each)
  const missing = await missingOf(deps, { from, to: Math.min(to, now) })
  const facts = { month, end: to, now, closed: closed.map((each) => each.month), used: usedMonths, attributed, missing }
  return {
    lines: [...lines, totalLine(lines)],
    blockers: blockersOf(facts),
    previous: closed.at(-1) ?? null,
    rowsDeletedBefore: since > from ? timestamp(Math.min(since, to)) : null,
  }
}

async function hasCalls({ reads }: Deps, month: string): Promise<boolean> {
  const { from, to } = spanOf(month)
  const found = reads.selectFrom('usage_hours').select('hour').where('hour', '>=', from).where('hour', '<', to)
  return (await found.limit(1).executeTakeFirst()) !== undefined
}

async function keyNames({ reads }: Deps): Promise<(id: string) => string | null> {
  const rows = await reads.selectFrom('keys').select(['id', 'name']).execute()
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? null
}

const DAY_MS = 86_400_000

/** Day by day, so that other readers do not wait long. */
async function missingOf({ reads }: Deps, { from, to }: { from: number; to: number }) {
  const found = []
  for (const workspace of await summedWorkspaces(reads)) {
    for (let day = from; day < to; day += DAY_MS) {
      found.push(...(await missingRows(reads, { workspace, from: day, to: Math.min(day + DAY_MS, to) })))
    }
  }
  return found
}

/** Those of calls of this month, and those of earlier ones that no close has listed. */
function correctionLines(
  rows: readonly CorrectionsTable[],
  { closes, from }: { closes: readonly (readonly BookLine[])[]; from: number },
): CorrectionLine[] {
  const listed = new Set(closes.flatMap((lines) => linesOf(lines, 'correction').map(({ id }) => id)))
  const first = closes.flatMap((lines) => linesOf(lines, 'month').map(({ month }) => month))[0]
  const since = first === undefined ? from : spanOf(first).from
  return rows
    .filter((row) => row.charged_at >= since && !listed.has(row.id))
    .map((row) => ({
      ...{
        line: 'correction',
        id: row.id,
        month: monthOf(row.charged_at),
        workspace: row.workspace,
        key_id: row.key_id,
      },
      ...{ provider: row.provider, model: row.model, kind: row.kind, cost_usd: signedUsd(BigInt(row.picodollars)) },
      ...{ reason: row.reason, actor: row.actor, created_at: timestamp(row.created_at), request_id: row.request_id },
    }))
}

type Compared = Awaited<ReturnType<typeof compareMonth>>['attributed']

/** The files that the compared periods are from. */
async function reportLines(
  { reads }: Deps,
  cells: readonly Compared[number]['cell'][],
  providers: ReadonlySet<string>,
): Promise<BookLine[]> {
  if (cells.length === 0) return []
  const { start, end } = extentOf(cells)
  const imports = await listImports(reads)
  return imports
    .filter((each) => providers.has(each.provider) && each.starts_at < end && each.ends_at > start)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, source, provider, name, sha256, imported_at: at, imported_by: by }) => ({
      ...{ line: 'report', id, source, provider, name, sha256, imported_at: timestamp(at), imported_by: by },
    }))
}

function differenceLines(attributed: Compared): BookLine[] {
  return summarize(attributed).flatMap(({ provider, causes, periods, ...sums }): BookLine[] => [
    {
      ...{ line: 'difference', provider, days: periods.length },
      ...{ ours_usd: signedUsd(sums.ours), theirs_usd: signedUsd(sums.theirs) },
      ...{ difference_usd: signedUsd(sums.theirs - sums.ours), quantity_usd: signedUsd(sums.quantity) },
      ...{ price_usd: signedUsd(sums.price), unexplained_usd: signedUsd(sums.unexplained) },
    },
    ...causes.map(
      ({ cause, amount, sentence }): BookLine => ({
        ...{ line: 'cause', provider, cause, amount_usd: signedUsd(amount), sentence },
      }),
    ),
  ])
}
