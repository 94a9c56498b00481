import { randomUUID } from 'node:crypto'
import { openSession, type PostgresSession } from './postgres-session.ts'
import { StoreError } from './store-error.ts'

const REFUSED =
  'DATABASE_URL leads through a pooler that gives every transaction another connection (PgBouncer: pool_mode = ' +
  'transaction). Locks, notifications and prepared statements do not survive that, and two gateways could enforce the ' +
  'same limits. Set it to the address of PostgreSQL itself, or set pool_mode = session'

/**
 * Fails where a session is not ours alone: one leaves a mark, another one begins a transaction, which takes the
 * connection that was used last. Then either the other one sees the mark, or the first no longer does.
 */
export async function refusePooledSessions(url: string): Promise<void> {
  const mark = randomUUID()
  await using opened = new AsyncDisposableStack()
  const open = async () => opened.adopt(await openSession({ url }), (session) => session.close())
  const [first, other] = [await open(), await open()]
  await leave(first, mark)
  await other.query('begin')
  const isShared = (await seen(other)) === mark || (await seen(first)) !== mark
  await other.query('rollback')
  await leave(first, '')
  if (isShared) throw new StoreError(REFUSED)
}

function leave(session: PostgresSession, mark: string): Promise<unknown> {
  return session.query(`select set_config('switchyard.session', $1, false)`, [mark])
}

async function seen(session: PostgresSession): Promise<unknown> {
  const [row] = await session.query(`select current_setting('switchyard.session', true) as mark`)
  return row?.['mark']
}
