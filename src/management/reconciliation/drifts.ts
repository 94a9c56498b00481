import type { Drift } from '../../domain/alerts/drift.ts'
import { summarize } from '../../reconcile/summary.ts'
import { listReportAccounts } from '../../store/control/books/report-accounts.ts'
import { listImports, listReportModels } from '../../store/control/books/reports.ts'
import { timestamp } from '../contract/fields.ts'
import type { ManagementDeps } from '../deps.ts'
import { compareMonth } from './compare.ts'

type Deps = Pick<ManagementDeps, 'reads' | 'snapshot'> & {
  now(): number
  onProblem(error: unknown): void
}

interface Known {
  /** What it was worked out from. */
  mark: string
  drifts: Drift[]
  /** When the next report settles, Unix milliseconds. */
  until: number
}

/**
 * What no cause explains of the settled days of this month and the one before. Worked out beside everything else, and
 * only when reports, names or registry have changed or another day has settled: in between it costs two small queries.
 * Null: it is being worked out.
 */
export function driftWatch(deps: Deps): () => Promise<readonly Drift[] | null> {
  let known: Known = { mark: '', drifts: [], until: Number.POSITIVE_INFINITY }
  let running: Promise<void> | null = null
  return async () => {
    const imports = await listImports(deps.reads)
    if (imports.length === 0) return []
    const names = [await listReportModels(deps.reads), await listReportAccounts(deps.reads)]
    const present = timestamp(deps.now()).slice(0, 7)
    const mark = JSON.stringify([imports.map(({ id }) => id), names, present])
    if (known.mark === mark && deps.now() < known.until) return known.drifts
    if (running !== null) return null
    running = work(deps, mark)
      .then((found) => {
        known = found
      })
      .catch(deps.onProblem)
      .finally(() => {
        running = null
      })
    return null
  }
}

async function work(deps: Deps, mark: string): Promise<Known> {
  const now = deps.now()
  const present = timestamp(now).slice(0, 7)
  const before = timestamp(Date.parse(`${present}-01T00:00:00Z`) - 1).slice(0, 7)
  const found: Known = { mark, drifts: [], until: Number.POSITIVE_INFINITY }
  for (const month of [before, present]) {
    const { attributed } = await compareMonth(deps, { month, provider: null, now })
    for (const { provider, cells } of summarize(attributed)) {
      for (const { period, model, ours, theirs, unexplained, settlesAt } of cells) {
        if (settlesAt > now) found.until = Math.min(found.until, settlesAt)
        else if (unexplained !== 0n) found.drifts.push({ provider, period, model, ours, theirs, unexplained })
      }
    }
  }
  return found
}
