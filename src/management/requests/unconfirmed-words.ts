import { asPicodollars, exactUsd } from '../../domain/pricing/price.ts'
import type { AttemptRecord } from '../../request-log/record.ts'
import type { RequestRow } from '../../store/engine/schema.ts'

/** What the provider may bill for an attempt without an answer. */
export function attemptBillWords({ unconfirmed }: AttemptRecord): string {
  if (unconfirmed === undefined) return ''
  return ` The provider may bill it: at most ${usd(unconfirmed.most)}, by our estimate ${usd(unconfirmed.estimate)}.`
}

/** Of the whole call, beyond its cost. */
export function unconfirmedWords(row: RequestRow): string[] {
  const { unconfirmed_most_picodollars: most, unconfirmed_estimate_picodollars: estimate } = row
  if (most === null) return []
  const counted = row.unconfirmed_counted_picodollars ?? 0
  return [
    `not confirmed by the provider: at most ${usd(most)} besides, by our estimate ${usd(estimate ?? 0)}; ${usd(counted)} of it counts in budgets`,
  ]
}

function usd(picodollars: string | number | bigint): string {
  return `${exactUsd(asPicodollars(BigInt(picodollars)))} USD`
}
