import { signedUsd } from '../../domain/pricing/price.ts'
import { type BookLine, type LateLine, linesOf, picodollarsOf } from './month-books.ts'

/** What the log now has of a month, by who pays and who is paid. */
export interface PresentSum {
  workspace: string
  keyId: string
  provider: string
  requests: bigint
  cost: bigint
}

interface Figures {
  requests: bigint
  cost: bigint
}

/**
 * What the log has of a closed month beyond what any close has counted of it. So the closed months together always add up
 * to the log.
 */
export function lateLines(
  { month, present }: { month: string; present: readonly PresentSum[] },
  closes: readonly (readonly BookLine[])[],
  nameOf: (keyId: string) => string | null,
): LateLine[] {
  const counted = new Map<string, Figures>()
  const count = (place: string, { requests, cost_usd: cost }: { requests: number; cost_usd: string }) => {
    const before = counted.get(place) ?? { requests: 0n, cost: 0n }
    counted.set(place, { requests: before.requests + BigInt(requests), cost: before.cost + picodollarsOf(cost) })
  }
  for (const lines of closes) {
    const isOfMonth = linesOf(lines, 'month').some((head) => head.month === month)
    if (isOfMonth) for (const each of linesOf(lines, 'usage')) count(placeOf(each.workspace, each.key_id, each), each)
    for (const each of linesOf(lines, 'late')) {
      if (each.month === month) count(placeOf(each.workspace, each.key_id, each), each)
    }
  }
  return present.flatMap(({ workspace, keyId, provider, requests, cost }): LateLine[] => {
    const before = counted.get(placeOf(workspace, keyId, { provider })) ?? { requests: 0n, cost: 0n }
    const more = { requests: requests - before.requests, cost: cost - before.cost }
    if (more.requests === 0n && more.cost === 0n) return []
    const place = { month, workspace, key_id: keyId, key_name: nameOf(keyId), provider }
    return [{ line: 'late', ...place, requests: Number(more.requests), cost_usd: signedUsd(more.cost) }]
  })
}

function placeOf(workspace: string, keyId: string, { provider }: { provider: string }): string {
  return JSON.stringify([workspace, keyId, provider])
}
