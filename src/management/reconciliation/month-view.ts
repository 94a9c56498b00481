import { signedUsd } from '../../domain/pricing/price.ts'
import type { Blocker } from '../../reconcile/close/blockers.ts'
import { type BookLine, linesOf, picodollarsOf, sumOfUsd, type UsageLine } from '../../reconcile/close/month-books.ts'
import type { ReplyOf } from '../contract/contract.ts'
import { timestampOrNull } from '../contract/fields.ts'

interface Shown {
  month: string
  lines: readonly BookLine[]
  blockers: readonly Blocker[]
  /** Null: not closed. */
  close: { sha256: string; verified: boolean } | null
  previousSha256: string | null
  rowsDeletedBefore: string | null
}

export function monthView(shown: Shown): ReplyOf<'months.get'> {
  const { month, lines, close } = shown
  const [head] = linesOf(lines, 'month')
  const [total] = linesOf(lines, 'total')
  const usage = linesOf(lines, 'usage')
  const most = (name: 'unconfirmed_estimate_usd' | 'unconfirmed_most_usd') =>
    signedUsd(usage.reduce((sum, each) => sum + picodollarsOf(each[name]), 0n))
  return {
    ...{ month, state: close === null ? 'open' : 'closed' },
    ...{ closed_at: head?.closed_at ?? null, closed_by: head?.closed_by ?? null, sha256: close?.sha256 ?? null },
    ...{ comment: head?.comment ?? null, previous_sha256: shown.previousSha256, verified: close?.verified ?? null },
    ...{ total_usd: total?.total_usd ?? '0', usage_usd: total?.usage_usd ?? '0', late_usd: total?.late_usd ?? '0' },
    corrections_usd: total?.corrections_usd ?? '0',
    ...{ unconfirmed_estimate_usd: most('unconfirmed_estimate_usd') },
    ...{ unconfirmed_most_usd: most('unconfirmed_most_usd') },
    workspaces: grouped(usage, ({ workspace }) => ({ workspace })),
    keys: grouped(usage, ({ workspace, key_id, key_name }) => ({ workspace, key_id, key_name })),
    providers: grouped(usage, ({ provider }) => ({ provider })),
    late: linesOf(lines, 'late').map(({ line: _line, ...each }) => each),
    corrections: linesOf(lines, 'correction').map(({ line: _line, ...each }) => each),
    differences: linesOf(lines, 'difference').map(({ line: _line, ...each }) => ({
      ...each,
      causes: linesOf(lines, 'cause')
        .filter(({ provider }) => provider === each.provider)
        .map(({ line: _cause, provider: _provider, ...cause }) => cause),
      reports: linesOf(lines, 'report')
        .filter(({ provider }) => provider === each.provider)
        .map(({ line: _report, provider: _provider, ...report }) => report),
    })),
    foreign_accounts: linesOf(lines, 'foreign').map(({ line: _line, ...each }) => each),
    rows_deleted_before: shown.rowsDeletedBefore,
    overrides: linesOf(lines, 'override').map(({ line: _line, ...each }) => each),
    blockers: shown.blockers.map(({ sentence, possibleFrom, canOverride }) => ({
      ...{ sentence, possible_from: timestampOrNull(possibleFrom), can_override: canOverride },
    })),
  }
}

/** The costliest first. */
function grouped<T extends object>(lines: readonly UsageLine[], placeOf: (line: UsageLine) => T) {
  return [...Map.groupBy(lines, (line) => JSON.stringify(placeOf(line)))]
    .map(([place, own]) => ({ place: JSON.parse(place) as T, cost: sumOfUsd(own), own }))
    .toSorted((a, b) => (a.cost > b.cost ? -1 : a.cost < b.cost ? 1 : 0))
    .map(({ place, cost, own }) => ({
      ...place,
      requests: own.reduce((sum, { requests }) => sum + requests, 0),
      cost_usd: signedUsd(cost),
    }))
}
