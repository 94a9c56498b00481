import { type RawBuilder, sql } from 'kysely'
import { INTERRUPTED } from '../../domain/errors.ts'

/**
 * How to close an open row whose process has died. A call without an answer costs nothing; a stream that `hasContent`
 * has one of unknown length: it is charged the whole hold, which it cannot have exceeded, and never less than its
 * provider had counted.
 */
export function interruption(hasContent: RawBuilder<boolean>, now: number) {
  const hold = sql`case when cost_least_picodollars > hold_picodollars then cost_least_picodollars else hold_picodollars end`
  const ofStream = <T>(value: RawBuilder<unknown>) => sql<T>`case when ${hasContent} then ${value} end`
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
  }
}

const ENDED = { ended: 'interrupted', usage_source: 'estimated' } as const

/** The spool of its node has been folded, so the log has the mark of every stream that has sent content. */
export const HAS_MARK = sql<boolean>`streamed = 1 and first_content_ms is not null`

/** Only the disk of its node knows whether there is a mark: every stream may have sent content. */
export const MAY_HAVE_MARK = sql<boolean>`streamed = 1`
