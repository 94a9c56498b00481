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

/** In the order in which they take turns. The last but one of a pair is what the next is compared with. */
export async function startNodeSets(scene: Scene, options: SetOptions, counts: readonly number[]): Promise<NodeSet[]> {
  const sets = [
    await startSet(scene, options, { name: 'one node, embedded', nodes: 1, database: 0 }),
    await startSet(scene, options, { name: 'one node, PostgreSQL', nodes: 1, database: 1 }),
  ]
  for (const [index, nodes] of counts.entries()) {
    const name = `${NUMBER[nodes] ?? nodes} node${nodes === 1 ? '' : 's'}, PostgreSQL and Valkey`
    sets.push(await startSet(scene, options, { name, nodes, database: index + 2, counters: true }))
  }
  return sets
}

const NUMBER: Readonly<Record<number, string>> = { 1: 'one', 2: 'two', 3: 'three', 4: 'four' }

interface SetPlan {
  name: string
  nodes: number
  /** A number of its own: sets must not see each other's keys and counters. 0: embedded. */
  database: number
  counters?: boolean
}

async function startSet(scene: Scene, { upstream, dist, servers }: SetOptions, plan: SetPlan): Promise<NodeSet> {
  const { name, nodes, database, counters = false } = plan
  const env = {
    // Nodes that share two cores with all else have long turns; what is turned away would not be measured.
    OVERLOAD_MS: '0',
    ...(database === 0 ? {} : { DATABASE_URL: await servers.postgres.createDatabase() }),
    ...(counters ? { REDIS_URL: `${servers.valkeyUrl}/${database}` } : {}),
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
    usesPostgres: database !== 0,
    usesValkey: counters,
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

/** Resolves when everything that was answered is in the tables: what is delivered later is part of a call's cost. */
export async function untilDelivered({ target, others }: NodeSet): Promise<void> {
  for (const url of [target.url, ...others]) {
    for (let lag = 1; lag > 0; ) {
      const answer = (await (await fetch(`${url}/readyz`)).json()) as { log: { lag_rows: number } }
      lag = answer.log.lag_rows
      if (lag > 0) await sleep(20)
    }
  }
}
