import type { StreamEnding, UsageSource } from '../../domain/log/stream-words.ts'
import { asPicodollars, exactUsd } from '../../domain/pricing/price.ts'
import { isAtBound } from '../../domain/pricing/row-cost.ts'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import type { RequestRow } from '../../store/engine/schema.ts'

const ENDINGS: Record<Exclude<StreamEnding, 'finished'>, (events: string) => string> = {
  failed_mid_stream: (events) =>
    `The stream was cut by the provider ${events}; the caller got an error as its last event.`,
  caller_left: (events) => `The caller left ${events}.`,
  slow_reader: (events) => `The caller read too slowly: the stream was ended ${events}.`,
  interrupted: () => 'The gateway ended before the stream did, which may have sent content: logged as interrupted.',
}

/** When the caller saw the first of it; nothing of a call that is no stream. */
export function firstContentWords({ first_content_ms: ms }: RequestRow): string[] {
  return ms === null ? [] : [`The first content was sent after ${ms} ms.`]
}

/** How a stream ended that had sent content and did not finish; null for any other call. */
export function cutWords({ ended, events_sent: events }: RequestRow): string | null {
  if (ended === null || !(ended in ENDINGS)) return null
  return ENDINGS[ended as keyof typeof ENDINGS](`after ${events} ${events === 1 ? 'event' : 'events'}`)
}

/** Who counted, where it was not the provider alone, and between which bounds the cost lies. */
export function estimateWords(row: RequestRow): string[] {
  const { usage_source: source, cost_least_picodollars: least, cost_most_picodollars: most } = row
  if (most === null && source === 'provider') return []
  if (source === null || (most === null && source === 'measured')) return []
  const who = {
    measured: 'the gateway measured what is billed',
    estimated: 'the provider did not count the tokens',
    prompt_held: 'the provider did not count the tokens, and the prompt is booked as held',
    provider_partial: 'the provider counted a part of the tokens',
    provider: 'the one that lost did not count its tokens',
  }[source as UsageSource]
  const range = least === null || most === null ? '' : `, between ${usd(least)} and ${usd(most)} USD`
  return [`${who}: the cost is estimated${range}`]
}

/** The length of the answer is unknown: its cost is a bound, not a sum. */
export function isBookedAtBound(row: RequestRow): boolean {
  return row.ended === 'interrupted' || isBookedAtHold(row)
}

/** `on_estimate: hold` of its provider. */
function isBookedAtHold(row: RequestRow): boolean {
  const { usage_source: source, cost_picodollars: cost, cost_most_picodollars: most } = row
  return most !== null && cost !== null && isAtBound({ source, cost: BigInt(cost), most: BigInt(most) })
}

export function boundWords(row: RequestRow): string {
  const { ended, cost_picodollars: cost, cost_least_picodollars: least } = row
  const why =
    ended === 'interrupted'
      ? 'it is not known how far the stream got'
      : 'the provider did not count the tokens to the end'
  if (cost === null) return `${why}, and no bound of its cost was known: the cost is unknown`
  return `${why}: what was held for it is booked, ${usd(cost)} USD; it cost at least ${usd(least ?? 0)} USD`
}

function usd(picodollars: ExactInteger): string {
  return exactUsd(asPicodollars(BigInt(picodollars)))
}
