import type { Kysely } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'

/** Closed calls of a provider that it may have billed beyond their cost, and what was corrected of each. Oldest first. */
export async function unconfirmedCalls(
  db: Kysely<Database>,
  { provider, from, to, limit }: { provider: string; from: number; to: number; limit: number },
) {
  const found = await db
    .selectFrom('requests')
    .leftJoin('corrections', 'corrections.request_id', 'requests.id')
    .where('requests.provider', '=', provider)
    .where('requests.started_at', '>=', from)
    .where('requests.started_at', '<', to)
    .where('requests.state', '=', 'closed')
    .where('requests.unconfirmed_most_picodollars', 'is not', null)
    .select([
      ...(['requests.id', 'requests.key_id', 'requests.model', 'requests.started_at'] as const),
      'requests.unconfirmed_most_picodollars',
      'corrections.picodollars as corrected',
    ])
    .orderBy('requests.started_at')
    .orderBy('requests.id')
    .limit(limit)
    .execute()
  return found.map((row) => ({
    ...{ id: row.id, keyId: row.key_id, model: row.model ?? '', startedAt: Number(row.started_at) },
    most: BigInt(row.unconfirmed_most_picodollars ?? 0),
    confirmed: row.corrected === null ? null : BigInt(row.corrected),
  }))
}
