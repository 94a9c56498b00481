import { type RawBuilder, sql } from 'kysely'
import { INTERRUPTED } from '../../domain/errors.ts'

/**
 * How to close an open row whose process has died. A stream that `hasContent` has an answer of unknown length: it is
 * charged the whole hold, which it cannot have exceeded, and never less than its provider had counted. Of any other call
 * it is unknown whether a provider answered: the hold is unconfirmed. Neither is resold: a bound is no price for a customer.
 */
export function interruption(hasContent: RawBuilder<boolean>, now: number) {
  const held = sql`hold_picodollars + coalesce(hold_added_picodollars, 0)`
  const hold = sql`case when cost_least_picodollars > ${held} then cost_least_picodollars else ${held} end`
  const ofStream = <T>(value: RawBuilder<unknown>) => sql<T>`case when ${hasContent} then ${value} end`
  const ofOthers = (value: RawBuilder<unknown>, also = sql``) =>
    sql<number | null>`case when not (${hasContent}) and ${held} > 0${also} then ${value} end`
  return {
    state: 'closed' as const,
    status: INTERRUPTED.status,
    code: INTERRUPTED.code,
    finished_at: now,
    ended: ofStream<string | null>(sql.lit(ENDED.ended)),
    usage_source: ofStream<string | null>(sql.lit(ENDED.usage_source)),
    cost_picodollars: ofStream<number | null>(hold),
    cost_least_picodollars: ofStream<number | null>(sql`coalesce(cost_least_picodollars, 0)`),
    cost_most_picodollars: ofStream<number | null>(hold),
    unconfirmed_estimate_picodollars: ofOthers(sql`0`),
    unconfirmed_most_picodollars: ofOthers(held),
    unconfirmed_counted_picodollars: ofOthers(held, sql` and unconfirmed_policy is null`),
  }
}

const ENDED = { ended: 'interrupted', usage_source: 'estimated' } as const

/** The spool of its node has been folded, so the log has the mark of every stream that has sent content. */
export const HAS_MARK = sql<boolean>`streamed = 1 and first_content_ms is not null`

/** Only the disk of its node knows whether there is a mark: every stream may have sent content. */
export const MAY_HAVE_MARK = sql<boolean>`streamed = 1`
