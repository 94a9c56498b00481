import { setTimeout as sleep } from 'node:timers/promises'
import { addressesOf, isDemoted, movedTo, newPlaces } from './cluster.ts'
import type { Value } from './fields.ts'
import type { Client } from './redis-client.ts'
import type { Script } from './script.ts'
import { SYNC } from './scripts/sync.ts'

/** What a script answers, by the names of the places in its list. */
export type Answer<Field extends string> = Readonly<Record<Field, Value>>

/** The single connection to the counters' server. */
export interface Connection {
  isUp(): boolean
  /** Rejects when there is no connection, when it closes, or when the server does not answer in time. */
  run<Argument extends string, Field extends string>(
    script: Script<Argument, Field>,
    given: Readonly<Record<Argument, string>>,
  ): Promise<Answer<Field>>
  /** The text of `INFO` for a section. */
  info(section: string): Promise<string>
  /** Why there is no connection; null while there is one. */
  problem(): string | null
  close(): Promise<void>
}

export interface ConnectionOptions {
  /** `redis://`, `rediss://`, `valkey://` or `valkeys://`, with password and database number; of a cluster any server. */
  url: string
  /** Prefix of all keys. */
  prefix: string
  /** Every wait for the server ends after this time and closes the connection. */
  waitMs: number
  onUp(): void
  onDown(problem: string): void
}

const FIRST_BACKOFF_MS = 50
const LONGEST_BACKOFF_MS = 1_000
const WATCH_MS = 100
const STEADY_MS = 5_000
/** Servers of a cluster that send us on without a pause: they may not agree yet on who owns what. */
const MOST_HOPS = 4

/** One connection, from open to close. */
class Session {
  readonly client: Client
  readonly #waitMs: number
  readonly #end = Promise.withResolvers<Error>()
  /** When each pending command was sent; answers arrive in the order of the commands. */
  readonly #sent: number[] = []
  readonly #watch: NodeJS.Timeout
  #isLeft = false

  constructor(client: Client, waitMs: number) {
    this.client = client
    this.#waitMs = waitMs
    client.on('error', (error: Error) => this.leave(error))
    client.on('end', () => this.leave(new Error('the connection was closed')))
    // A client destroyed while connecting still opens its socket, and would keep it for ever.
    client.on('connect', () => {
      if (this.#isLeft) client.destroy()
    })
    this.#watch = setInterval(() => this.#leaveSilent(), WATCH_MS).unref()
  }

  /** Why it closed. */
  get ended(): Promise<Error> {
    return this.#end.promise
  }

  async connect(): Promise<void> {
    this.#sent.push(performance.now())
    const outcome = await Promise.race([this.client.connect(), this.ended])
    this.#sent.shift()
    if (outcome instanceof Error) throw outcome
    // The script that calls wait for is loaded first; the others are sent in full on first use.
    await this.send(['SCRIPT', 'LOAD', SYNC.text])
  }

  /** Rejects with MOVED where another server of a cluster has the key. The servers of the cluster; none outside one. */
  async findPeers(key: string, asked: string): Promise<string[]> {
    await this.send(['EXISTS', key])
    // Not allowed to everybody, and outside a cluster an error.
    return addressesOf(await this.send(['CLUSTER', 'SLOTS']).catch(() => []), asked)
  }

  async send(command: string[]): Promise<unknown> {
    this.#sent.push(performance.now())
    try {
      return await this.client.sendCommand(command)
    } catch (error) {
      if (movedTo(error, 'redis://moved') !== null || isDemoted(error)) this.leave(error as Error)
      throw error
    } finally {
      this.#sent.shift()
    }
  }

  leave(why: Error): void {
    clearInterval(this.#watch)
    this.#isLeft = true
    this.#end.resolve(why)
    if (this.client.isOpen) this.client.destroy()
  }

  /** An answer may have arrived while this process was blocked, so it is read first. */
  #leaveSilent(): void {
    const isLate = () => this.#sent[0] !== undefined && performance.now() - this.#sent[0] > this.#waitMs
    if (!isLate()) return
    setImmediate(() =>
      setImmediate(() => {
        if (isLate()) this.leave(new Error('the server does not answer'))
      }),
    )
  }
}

/** Connects in the background and reconnects when the connection closes. Commands of one turn are sent together. */
export function openConnection(options: ConnectionOptions): Connection {
  const key = `${options.prefix}ledger`
  const closing = new AbortController()
  let current: Session | null = null
  let problem: string | null = 'not connected yet'
  const places = newPlaces(options.url)

  async function connectOnce(): Promise<Error> {
    let session: Session | null = null
    const stop = () => session?.leave(new Error('closed'))
    closing.signal.addEventListener('abort', stop)
    const address = places.next()
    try {
      const { newClient } = await import('./redis-client.ts')
      session = new Session(newClient(address), options.waitMs)
      if (closing.signal.aborted) return new Error('closed')
      await session.connect()
      places.found(await session.findPeers(key, address))
      current = session
      problem = null
      options.onUp()
      const ended = await session.ended
      places.sentTo(movedTo(ended, address))
      return ended
    } catch (error) {
      places.sentTo(movedTo(error, address))
      return error instanceof Error ? error : new Error(String(error))
    } finally {
      current = null
      session?.leave(new Error('left'))
      closing.signal.removeEventListener('abort', stop)
    }
  }

  async function stayConnected(): Promise<void> {
    let lostAt = performance.now()
    let hops = 0
    while (!closing.signal.aborted) {
      const began = performance.now()
      const { message, name } = await connectOnce()
      if (closing.signal.aborted) return
      // It was not up: only the next server knows whether it is ours.
      if (problem !== null && places.isSent() && ++hops <= MOST_HOPS) continue
      hops = 0
      problem = message || name
      options.onDown(problem)
      const now = performance.now()
      if (now - began > STEADY_MS) lostAt = now
      // A quarter of how long it has been away: calls wait for one that restarts.
      const backoffMs = Math.min(Math.max(FIRST_BACKOFF_MS, (now - lostAt) / 4), LONGEST_BACKOFF_MS)
      const jitter = 0.5 + Math.random() / 2
      await sleep(backoffMs * jitter, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  async function send(command: string[]): Promise<unknown> {
    if (current === null) throw new Error(problem ?? 'not connected')
    return current.send(command)
  }

  const connected = stayConnected()
  return {
    isUp: () => current !== null,
    async run(script, given) {
      const args = ['1', key, ...script.takes.map((name) => given[name])]
      const list = await send(['EVALSHA', script.sha, ...args]).catch((error) => {
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
        return send(['EVAL', script.text, ...args])
      })
      return answerOf(script, list as readonly Value[])
    },
    info: async (section) => String(await send(['INFO', section])),
    problem: () => problem,
    async close() {
      closing.abort()
      await connected
    },
  }
}

function answerOf<Field extends string>({ answers }: Script<string, Field>, list: readonly Value[]): Answer<Field> {
  return Object.fromEntries(answers.map((name, place) => [name, list[place]])) as Answer<Field>
}

/** For one errand: connects, or rejects after the time to wait. */
export async function withConnection<T>(
  options: Omit<ConnectionOptions, 'onUp' | 'onDown'>,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const up = Promise.withResolvers<void>()
  let problem = 'no connection'
  const onDown = (text: string) => {
    problem = text
  }
  const connection = openConnection({ ...options, onUp: up.resolve, onDown })
  const late = setTimeout(() => up.reject(new Error(problem)), options.waitMs)
  try {
    await up.promise
    return await use(connection)
  } finally {
    clearTimeout(late)
    await connection.close()
  }
}
