import { type Kysely, sql } from 'kysely'
import { closeInterrupted } from '../src/request-log/fold/fold.ts'
import { readLoggedScopes } from '../src/request-log/logged-scopes.ts'
import { findIdempotent } from '../src/request-log/search/find-idempotent.ts'
import { findRequest } from '../src/request-log/search/find-request.ts'
import { keyUsage } from '../src/request-log/search/key-usage.ts'
import type { Database } from '../src/store/engine/schema.ts'

const DAY_MS = 86_400_000
const KEYS = 50

/** What is asked of the log beside pages and sums: each by its name, with the number of rows that came. */
export function singles(db: Kysely<Database>, reads: Kysely<Database>, end: number) {
  const keys = Array.from({ length: KEYS }, (_, number) => `01kkkkkkkkkkkkkkkkkkkk-${number}`)
  const idOf = async (time: number) => {
    const rows = reads.selectFrom('requests').select('id').where('workspace', '=', 'workspace-1')
    return (await rows.where('started_at', '<', time).orderBy('started_at', 'desc').limit(1).executeTakeFirst())?.id
  }
  const found = (row: object | undefined | null) => (row === undefined || row === null ? 0 : 1)
  return {
    'one request by its id': async () => {
      const id = await idOf(end - 10 * DAY_MS)
      return async () => found(await findRequest(reads, id ?? ''))
    },
    'a request that is not there': async () => async () =>
      found(await findRequest(reads, 'chatcmpl_01jzzzzzzzzzzzzzzzzzzzzzzz')),
    'an idempotency key, never used': async () => async () =>
      found(await findIdempotent(db, { keyId: keys[6] ?? '', idempotencyKey: 'none', since: end - DAY_MS })),
    'use of 50 keys': async () => {
      await insertKeys(db, keys)
      return async () => {
        await keyUsage(reads, keys)
        return KEYS
      }
    },
    'counters from the log': async () => async () => (await readLoggedScopes(reads, end)).length,
    'calls of a dead process': async () => async () => closeInterrupted(db, 'nobody', end),
  }
}

async function insertKeys(db: Kysely<Database>, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await sql`insert into keys (id, kind, workspace, name, hash, prefix, created_at)
      values (${id}, 'live', null, ${id}, ${id}, ${id}, 0) on conflict (id) do nothing`.execute(db)
  }
}
