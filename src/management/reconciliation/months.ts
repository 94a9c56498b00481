import { createHash } from 'node:crypto'
import { GatewayError } from '../../domain/errors.ts'
import { signedUsd } from '../../domain/pricing/price.ts'
import { type Blocker, wrongCosts } from '../../reconcile/close/blockers.ts'
import {
  type BookLine,
  booksOfText,
  type HeadLine,
  linesOf,
  type OverrideLine,
  textOfBooks,
} from '../../reconcile/close/month-books.ts'
import { firstSummedHour, monthSums } from '../../request-log/reconcile/month-sums.ts'
import { keptSince } from '../../request-log/retention/kept-since.ts'
import type { LogPlace } from '../../request-log/verify/log-difference.ts'
import { checkLog, type LogCheck } from '../../request-log/verify/verify-log.ts'
import { addMonthClose, findMonthClose, listMonthCloses } from '../../store/control/books/month-closes.ts'
import type { MonthClosesTable } from '../../store/engine/report-tables.ts'
import { timestamp } from '../contract/fields.ts'
import type { monthOperations } from '../contract/months.ts'
import { changeBeside, type ManagementDeps } from '../deps.ts'
import { untilCaughtUp } from '../requests/request-filters.ts'
import type { HandlersOf } from '../router.ts'
import { draftMonth, type MonthDraft, monthOf, monthsFrom, spanOf } from './month-draft.ts'
import { exportMonth } from './month-export.ts'
import { monthView } from './month-view.ts'

export function monthHandlers(deps: ManagementDeps): HandlersOf<typeof monthOperations> {
  return {
    async 'months.list'(_input, { now }) {
      await untilCaughtUp(deps)
      return { data: await listMonths(deps, now) }
    },
    async 'months.get'({ params }, { now }) {
      const month = checkedMonth(params.month)
      const close = await findMonthClose(deps.reads, month)
      if (close !== null) return closedView(deps, close)
      await untilCaughtUp(deps)
      return draftView(month, await draftMonth(deps, { month, now }))
    },
    async 'months.close'({ params, body: { comment = null, override } }, context) {
      const month = checkedMonth(params.month)
      const { now, actor } = context
      await refuseClosed(deps.db, month)
      await untilCaughtUp(deps)
      const draft = await draftMonth(deps, { month, now })
      const costs = draft.blockers.every(({ canOverride }) => canOverride) ? await wrongCostsOf(deps, month) : []
      const blockers = [...draft.blockers, ...costs]
      if (blockers.some(({ canOverride }) => !canOverride || override === undefined)) refuseBlocked(month, blockers)
      const overrides = blockers.map(
        ({ sentence }): OverrideLine => ({ line: 'override', sentence, reason: override ?? '', by: actor.name }),
      )
      const head: HeadLine = {
        ...{ line: 'month', form: 1, month, closed_at: timestamp(now), closed_by: actor.name, comment },
        ...{ previous_month: draft.previous?.month ?? null, previous_sha256: draft.previous?.sha256 ?? null },
        rows_deleted_before: draft.rowsDeletedBefore,
      }
      const content = textOfBooks([head, ...overrides, ...draft.lines])
      const close = { month, closed_at: now, closed_by: actor.name, sha256: sha256Of(content), content }
      await changeBeside(deps, context, async (transaction) => {
        if (!(await addMonthClose(transaction, close))) await refuseClosed(transaction, month)
        const [total] = linesOf(draft.lines, 'total')
        const after = { sha256: close.sha256, comment, ...(overrides.length > 0 && { override }), ...total }
        const audit = { action: 'months.close', workspace: null, resource: `months/${month}`, before: null, after }
        return { result: undefined, audit }
      })
      return closedView(deps, close)
    },
    async 'months.export'({ params, query: { format } }) {
      const month = checkedMonth(params.month)
      const close = await findMonthClose(deps.reads, month)
      if (close === null) {
        throw new GatewayError('invalid_request', `month: ${month} isn't closed; close it first, or use /usage/focus`)
      }
      return exportMonth(deps, close, format)
    },
  }
}

function refuseBlocked(month: string, blockers: readonly Blocker[]): never {
  const sentences = blockers.map(({ sentence }) => sentence)
  if (blockers.every(({ canOverride }) => canOverride)) {
    sentences.push('To close it anyway, say why in override; the reason and your name are frozen with the books.')
  }
  throw new GatewayError('conflict', `${month} cannot be closed now. ${sentences.join(' ')}`)
}

/** Recomputed from tokens and prices, row by row: once, by the close itself. */
async function wrongCostsOf({ reads }: Pick<ManagementDeps, 'reads'>, month: string): Promise<Blocker[]> {
  const wrong: { id: string; at: number }[] = []
  for (let after: LogPlace | null = null; ; ) {
    const { differences, next }: LogCheck = await checkLog(reads, { ...spanOf(month), after, isEnough: () => true })
    for (const { id, at, figure } of differences) {
      if (id !== null && (figure === 'cost' || figure === 'unconfirmed')) wrong.push({ id, at })
    }
    if (next === null || wrong.length >= MOST_WRONG) return wrongCosts(wrong, next !== null)
    after = next
  }
}

/** More of them say no more. */
const MOST_WRONG = 100

function checkedMonth(month: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return month
  throw new GatewayError('invalid_request', `month: YYYY-MM, not '${month}'`)
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

async function refuseClosed(db: ManagementDeps['db'], month: string): Promise<void> {
  const found = await findMonthClose(db, month)
  if (found === null) return
  throw new GatewayError(
    'conflict',
    `${found.closed_by} closed ${month} at ${timestamp(found.closed_at)}. What comes later belongs to the next month.`,
  )
}

function draftView(month: string, { lines, blockers, previous, rowsDeletedBefore }: MonthDraft) {
  return monthView({ month, lines, blockers, rowsDeletedBefore, close: null, previousSha256: previous?.sha256 ?? null })
}

async function closedView({ reads }: ManagementDeps, { month, sha256, content }: MonthClosesTable) {
  const lines = booksOfText(content)
  const [since, { from, to }] = [await keptSince(reads), spanOf(month)]
  return monthView({
    ...{ month, lines, blockers: [], close: { sha256, verified: sha256Of(content) === sha256 } },
    previousSha256: linesOf(lines, 'month')[0]?.previous_sha256 ?? null,
    rowsDeletedBefore: since > from ? timestamp(Math.min(since, to)) : null,
  })
}

/** From the first with calls, or the first closed one, to the present one; newest first. */
async function listMonths({ reads }: ManagementDeps, now: number) {
  const closed = new Map((await listMonthCloses(reads)).map((each) => [each.month, each]))
  const hour = await firstSummedHour(reads)
  const present = monthOf(now)
  const firsts = [present, ...closed.keys(), ...(hour === null ? [] : [monthOf(hour)])].toSorted()
  const months = monthsFrom(firsts[0] ?? present, monthOf(spanOf(present).to))
  const listed = []
  for (const month of months.toReversed()) {
    const close = closed.get(month)
    listed.push({
      ...{ month, state: close === undefined ? ('open' as const) : ('closed' as const) },
      ...{ closed_at: close === undefined ? null : timestamp(close.closed_at), closed_by: close?.closed_by ?? null },
      sha256: close?.sha256 ?? null,
      total_usd: close === undefined ? await costNow(reads, month) : await closedTotal(reads, month),
    })
  }
  return listed
}

async function costNow(reads: ManagementDeps['reads'], month: string): Promise<string> {
  return signedUsd((await monthSums(reads, spanOf(month))).reduce((sum, { cost }) => sum + cost, 0n))
}

async function closedTotal(reads: ManagementDeps['reads'], month: string): Promise<string> {
  const content = (await findMonthClose(reads, month))?.content ?? ''
  // The last line, so that the others need not be read.
  const last = content.slice(content.lastIndexOf('\n', content.length - 2) + 1)
  return linesOf(booksOfText(last) satisfies BookLine[], 'total')[0]?.total_usd ?? '0'
}
