import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../test/postgres.ts'
import { startValkey } from '../test/valkey.ts'
import { parentOf } from './process-tree.ts'
import { type Scene, startGateway, type Target } from './scene.ts'

/** What all sets of nodes share. */
export interface Servers extends AsyncDisposable {
  postgres: PostgresServer
  valkeyUrl: string
  pids: { postgres: number; valkey: number }
}

/** One way to run the gateway: so many nodes with these servers behind them. */
export interface NodeSet {
  name: string
  nodes: number
  /** The first node; the others are in `others`. */
  target: Target
  others: string[]
  pids: number[]
  usesPostgres: boolean
  usesValkey: boolean
}

export interface SetOptions {
  sets: readonly SetPlan[]
  upstream: string
  dist: boolean
  servers: Servers
}

export async function startServers(): Promise<Servers> {
  await using starting = new AsyncDisposableStack()
  const postgres = await startPostgres()
  starting.defer(() => postgres.stop())
  const valkey = await startValkey({ appendOnly: true })
  starting.defer(() => valkey.stop())
  const pids = { postgres: await postmasterOf(postgres.url), valkey: valkey.pid() }
  const running = starting.move()
  return { postgres, valkeyUrl: valkey.url, pids, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return parentOf(rows[0]?.pid ?? 0)
  } finally {
    await client.end()
  }
}

/** How a set is made up. */
export interface SetPlan {
  name: string
  nodes: number
  behind: 'SQLite' | 'PostgreSQL' | 'PostgreSQL and Valkey'
}

const shared = (name: string, nodes: number): SetPlan => ({
  name: `${name}, PostgreSQL and Valkey`,
  nodes,
  behind: 'PostgreSQL and Valkey',
})

/** In the order in which they take turns. */
export const SETS: readonly SetPlan[] = [
  { name: 'one node, embedded', nodes: 1, behind: 'SQLite' },
  { name: 'one node, PostgreSQL', nodes: 1, behind: 'PostgreSQL' },
  shared('one node', 1),
  shared('two nodes', 2),
  shared('four nodes', 4),
]

export async function startNodeSets(scene: Scene, options: SetOptions): Promise<NodeSet[]> {
  const sets = []
  // One after the other: they share two cores.
  for (const plan of options.sets) sets.push(await startSet(scene, options, plan))
  return sets
}

async function startSet(scene: Scene, { upstream, dist, servers }: SetOptions, plan: SetPlan): Promise<NodeSet> {
  const { name, nodes, behind } = plan
  // Sets must not see each other's keys and counters.
  const prefix = `bench-${randomUUID()}`
  const env = {
    // Nodes that share two cores with all else have long turns; what is turned away would not be measured.
    OVERLOAD_MS: '0',
    ...(behind === 'SQLite' ? {} : { DATABASE_URL: await servers.postgres.createDatabase() }),
    ...(behind === 'PostgreSQL and Valkey' ? { REDIS_URL: servers.valkeyUrl, REDIS_PREFIX: prefix } : {}),
  }
  const first = await startGateway(scene, { upstream, dist, env })
  const target = { ...first.target('openai'), name }
  const others = []
  for (let count = 1; count < nodes; count++)
    others.push((await startGateway(scene, { upstream, dist, env, withKeys: false })).running)
  for (const { ready } of others) await untilKnown(ready, target.headers)
  return {
    name,
    nodes,
    target,
    others: others.map(({ ready }) => ready),
    pids: [first.running.pid, ...others.map(({ pid }) => pid)],
    usesPostgres: behind !== 'SQLite',
    usesValkey: behind === 'PostgreSQL and Valkey',
  }
}

/** A key that was made at the first node is heard of by the others a moment later. */
async function untilKnown(url: string, headers: Record<string, string>): Promise<void> {
  for (let look = 0; look < 100; look++) {
    if ((await fetch(`${url}/v1/models`, { headers })).status === 200) return
    await sleep(100)
  }
  throw new Error(`${url} does not know the key of the load`)
}

const DELIVERED_WITHIN_MS = 60_000

/** Resolves when everything that was answered is in the tables: what is delivered later is part of a call's cost. */
export async function untilDelivered({ target, others }: NodeSet): Promise<void> {
  const until = performance.now() + DELIVERED_WITHIN_MS
  for (const url of [target.url, ...others]) {
    for (let lag = 1; lag > 0; ) {
      const { log } = (await (await fetch(`${url}/readyz`)).json()) as {
        log: { lag_rows: number; last_error: unknown }
      }
      lag = log.lag_rows
      if (lag > 0 && performance.now() > until) throw new Error(`${url} does not deliver: ${log.last_error}`)
      if (lag > 0) await sleep(20)
    }
  }
}
