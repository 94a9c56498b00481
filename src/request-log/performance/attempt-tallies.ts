import { type Kysely, sql } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { isPartitioned } from '../retention/partitions.ts'
import { inSpan, type Part, type Span, startIn } from './hour-memory.ts'

/** Attempts at one provider that went the same way. */
export interface AttemptTally extends Part {
  provider: string
  kind: 'called' | 'skipped'
  /** Empty: it served. */
  code: string
  /** 1: the call that it belongs to was answered in full. */
  answered: number
  attempts: number
}

/** One attempt, and it served: most calls. A look at the text costs less than reading it as JSON. */
const IS_PLAIN = sql`(code is null and fallback = 0 and provider is not null
  and attempts like '[{"kind":"called",%' and attempts not like '%},{%')`

export async function readAttemptTallies(db: Kysely<Database>, span: Span): Promise<AttemptTally[]> {
  const plain = await sql<Omit<AttemptTally, 'size'>>`
    select workspace, ${startIn(span)} as start, provider, 'called' as kind, '' as code, 1 as answered,
      count(*) as attempts
    from requests where ${inSpan(span)} and ${IS_PLAIN} group by 1, 2, 3`.execute(db)
  // The engines have different names for the same.
  const each = isPartitioned(db) ? sql`json_array_elements(cast(attempts as json))` : sql`json_each(attempts)`
  const others = await sql<Omit<AttemptTally, 'size'>>`
    select workspace, ${startIn(span)} as start, attempt.value ->> 'provider' as provider,
      attempt.value ->> 'kind' as kind, coalesce(attempt.value ->> 'code', '') as code,
      case when code is null then 1 else 0 end as answered, count(*) as attempts
    from requests, ${each} as attempt where ${inSpan(span)} and not ${IS_PLAIN} group by 1, 2, 3, 4, 5, 6`.execute(db)
  return [...plain.rows, ...others.rows].map((tally) => ({ ...tally, size: 10 }))
}
