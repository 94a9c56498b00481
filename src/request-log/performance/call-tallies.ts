import { type Kysely, sql } from 'kysely'
import { mapInTurns } from '../../store/engine/in-turns.ts'
import type { Database } from '../../store/engine/schema.ts'
import { DURATION_MS } from '../search/filters.ts'
import { type PackedHistogram, packed } from './histogram.ts'
import { inSpan, type Part, type Span, startIn } from './hour-memory.ts'

/** Calls of one route, provider, model and code; null is an empty text. */
export interface CallTally extends Part {
  route: string
  provider: string
  model: string
  code: string
  requests: number
  /** Of calls that were answered in full, cache hits aside: from the admission to the end. */
  durations: PackedHistogram
  /** Of streams that had content, cache hits aside: from the admission to the first of it. */
  firstContents: PackedHistogram
}

interface Found extends Omit<CallTally, 'size' | 'durations' | 'firstContents'> {
  durations: string | null
  first_contents: string | null
}

/** By a provider: a stored answer is there at once, and would only flatter. */
const IS_SERVED = sql<boolean>`(cache is null or cache <> 'hit')`

/** Durations come as texts and are counted here: sorting them into buckets in SQL takes longer. */
export async function readCallTallies(db: Kysely<Database>, span: Span): Promise<CallTally[]> {
  const { rows } = await sql<Found>`
    select workspace, ${startIn(span)} as start, coalesce(route, '') as route, coalesce(provider, '') as provider,
      coalesce(model, '') as model, coalesce(code, '') as code, count(*) as requests,
      string_agg(cast(case when code is null and ${IS_SERVED} then ${DURATION_MS} end as text), ' ') as durations,
      string_agg(cast(case when ${IS_SERVED} then first_content_ms end as text), ' ') as first_contents
    from requests where ${inSpan(span)} group by 1, 2, 3, 4, 5, 6`.execute(db)
  return mapInTurns(rows, ({ durations, first_contents, ...tally }) => {
    const [ends, firsts] = [packed(durations), packed(first_contents)]
    return { ...tally, durations: ends, firstContents: firsts, size: ends.length + firsts.length + 10 }
  })
}
