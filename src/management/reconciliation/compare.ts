import {
  coversUsage,
  createOwners,
  type ForeignAccount,
  foreignAccounts,
  type Owners,
} from '../../reconcile/accounts.ts'
import { type Attributed, attribute } from '../../reconcile/attribute.ts'
import { extentOf } from '../../reconcile/line.ts'
import {
  buildCells,
  type Covered,
  type OurMissing,
  type OurSum,
  periodOf,
  type TheirLine,
} from '../../reconcile/match/build.ts'
import type { Crossing } from '../../reconcile/match/cell.ts'
import { billingModel } from '../../reconcile/models.ts'
import { sourceOf } from '../../reconcile/sources/sources.ts'
import { missingRows } from '../../request-log/reconcile/missing-rows.ts'
import { crossingsForReconciliation, sumsForReconciliation } from '../../request-log/reconcile/our-sums.ts'
import { keptSince } from '../../request-log/retention/kept-since.ts'
import { summedWorkspaces } from '../../request-log/usage/summed-workspaces.ts'
import { listReportAccounts } from '../../store/control/books/report-accounts.ts'
import { linesBetween, listReportModels } from '../../store/control/books/reports.ts'
import type { ManagementDeps } from '../deps.ts'
import { type ImportedLine, lineFromRow } from './line-rows.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const QUARTER_MS = HOUR_MS / 4
const MINUTE_MS = 60_000

export interface Compared {
  attributed: Attributed[]
  /** Keys in the reports that no provider of this gateway has. */
  foreign: ForeignAccount[]
  /** The providers that the reports were imported for. */
  importedFor: ReadonlySet<string>
  /** Unix milliseconds; null: every row is there. */
  deletedBefore: number | null
  names: Names
}

/** A month of reports against the log, with a day on either side, because calls run over midnight. */
export async function compareMonth(
  deps: Pick<ManagementDeps, 'reads' | 'snapshot'>,
  { month, provider, now }: { month: string; provider: string | null; now: number },
): Promise<Compared> {
  const first = Date.parse(`${month}-01T00:00Z`)
  const last = new Date(first).setUTCMonth(new Date(first).getUTCMonth() + 1)
  const owners = createOwners(await listReportAccounts(deps.reads))
  const providers = provider === null ? null : owners.reportsFor(provider)
  const rows = await linesBetween(deps.reads, { from: first - 2 * DAY_MS, to: last + 2 * DAY_MS, providers })
  const since = await keptSince(deps.reads)
  const names = await billingNames(deps)
  const lines = rows.map(lineFromRow)
  const whole = lines.filter((line) => periodOf(line).start >= since)
  const theirs = sidesOf(whole, owners, names, provider)
  const ours = await oursFor(deps, [...theirs.own, ...theirs.covered], names)
  const cells = buildCells({ ...ours, theirs: theirs.own, covered: theirs.covered })
  const attributed = attribute({ cells, crossings: ours.crossings, now })
  return {
    attributed: attributed.filter(({ cell }) => cell.period.startsWith(month)),
    foreign: foreignAccounts(theirs.foreign.filter(({ period }) => period.startsWith(month))),
    importedFor: new Set(rows.map((row) => row.provider)),
    deletedBefore: whole.length === lines.length ? null : since,
    names,
  }
}

/** Each line with the provider that has its key; of `only`, if given. */
function sidesOf(lines: readonly ImportedLine[], owners: Owners, names: Names, only: string | null) {
  const own: TheirLine[] = []
  const foreign: (TheirLine & { period: string })[] = []
  const covered = new Map<string, Covered>()
  for (const line of lines) {
    const { source, importedFor, model, account, start, end, zone } = line
    const owner = owners.ownerOf(importedFor, account)
    const provider = owner ?? importedFor
    const settleMs = sourceOf(source).settleMs
    const billingModel = model === null ? null : nameOf(names, model, [provider, importedFor])
    const theirs = { ...line, provider, billingModel, settleMs }
    if (owner === null) foreign.push({ ...theirs, period: periodOf(line).name })
    else own.push(theirs)
    if (!coversUsage(line)) continue
    for (const each of owners.ownersIn(importedFor)) {
      const place = JSON.stringify([each, periodOf(line), settleMs])
      if (!covered.has(place)) covered.set(place, { provider: each, start, end, zone, settleMs })
    }
  }
  const isWanted = ({ provider }: { provider: string }) => only === null || provider === only
  return {
    own: own.filter(isWanted),
    foreign: foreign.filter(isWanted),
    covered: [...covered.values()].filter(isWanted),
  }
}

/** As the owner's models are called; else as those of the provider that the report was imported for. */
function nameOf(names: Names, raw: string, providers: readonly string[]): string {
  return providers.map((provider) => names(provider, raw)).find((name) => name !== raw) ?? raw
}

/** What a name in reports or rows stands for. */
type Names = (provider: string, name: string) => string

async function billingNames({ reads, snapshot }: Pick<ManagementDeps, 'reads' | 'snapshot'>): Promise<Names> {
  const mapped = new Map(
    (await listReportModels(reads)).map((row) => [JSON.stringify([row.provider, row.name]), row.model]),
  )
  const { registry } = snapshot()
  return (provider, name) =>
    billingModel(name, {
      mapped: (raw) => mapped.get(JSON.stringify([provider, raw])) ?? null,
      listed: (raw) => registry.get(provider)?.get(raw)?.model ?? null,
    })
}

/** Minutes where the report has minutes; quarters of an hour where its days begin at one. */
function widthFor(lines: readonly Covered[]): number {
  const isMinutes = lines.some(({ start, end }) => end - start < HOUR_MS)
  const isOdd = lines.some((line) => periodOf(line).start % HOUR_MS !== 0)
  return isMinutes ? MINUTE_MS : isOdd ? QUARTER_MS : HOUR_MS
}

/** Workspace by workspace and day by day, so that neither memory nor the wait of other readers grows with the range. */
async function oursFor({ reads }: Pick<ManagementDeps, 'reads'>, lines: readonly Covered[], names: Names) {
  const found = { ours: [] as OurSum[], missing: [] as OurMissing[], crossings: [] as Crossing[] }
  if (lines.length === 0) return found
  const { start, end } = extentOf(lines.map(periodOf))
  const billed = <T extends { provider: string; model: string }>(each: T): T => ({
    ...each,
    model: names(each.provider, each.model),
  })
  const width = widthFor(lines)
  for (const workspace of await summedWorkspaces(reads)) {
    for (let from = start; from < end; from += DAY_MS) {
      const stretch = { workspace, from, to: Math.min(from + DAY_MS, end), width }
      found.ours.push(...(await sumsForReconciliation(reads, stretch)).map(billed))
      found.missing.push(...(await missingRows(reads, stretch)).map(billed))
      found.crossings.push(...(await crossingsForReconciliation(reads, stretch)).map(billed))
    }
  }
  return found
}
