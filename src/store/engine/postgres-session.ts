import { connectTimeoutMs } from './connect-timeout.ts'

/** A connection that is more than a way to send queries: it listens, or it holds a lock for as long as it lives. */
export interface PostgresSession {
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  isOpen(): boolean
  close(): Promise<void>
}

export interface SessionOptions {
  url: string
  /** Called once when it breaks, not when it is closed. */
  onBroken?(error: Error): void
  onNotification?(payload: string): void
}

/** No query here takes longer than a millisecond: a server that has not answered in this time is down. */
const QUERY_MS = 3_000

/**
 * The server notices within eleven seconds that we have vanished (5 + 3 × 2) and frees what the session held. We notice
 * sooner, by asking every second: so two nodes never both believe to hold it.
 */
const SERVER_SETTINGS = [
  'set tcp_keepalives_idle = 5',
  'set tcp_keepalives_interval = 2',
  'set tcp_keepalives_count = 3',
]

export async function openSession({ url, onBroken, onNotification }: SessionOptions): Promise<PostgresSession> {
  // Loaded only where it is used: the embedded set-up starts without it.
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs(url),
    query_timeout: QUERY_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    application_name: 'switchyard',
  })
  let state: 'opening' | 'open' | 'closed' = 'opening'
  let reason: Error | null = null
  function broke(error: Error): void {
    if (state === 'closed') return
    const wasOpen = state === 'open'
    state = 'closed'
    reason = error
    void client.end().catch(() => {})
    if (wasOpen) onBroken?.(error)
  }
  client.on('error', broke)
  client.on('end', () => broke(new Error('the connection to PostgreSQL ended')))
  if (onNotification !== undefined) client.on('notification', ({ payload }) => onNotification(payload ?? ''))

  async function query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    if (reason !== null) throw reason
    try {
      return (await client.query(text, values)).rows
    } catch (error) {
      // The statement itself is never wrong: any failure means that the session is unusable.
      broke(error as Error)
      throw error
    }
  }

  try {
    await client.connect()
    await query(SERVER_SETTINGS.join('; '))
  } catch (error) {
    broke(error as Error)
    throw error
  }
  state = 'open'
  return {
    query,
    isOpen: () => state === 'open',
    async close() {
      state = 'closed'
      await client.end().catch(() => {})
    },
  }
}
