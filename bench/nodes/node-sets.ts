import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../../test/postgres.ts'
import { startValkey, type ValkeyServer } from '../../test/valkey.ts'
import { type Build, startGateway } from '../run/gateway.ts'
import type { Scene, Target } from '../run/scene.ts'

/** One way to run the gateway. */
export interface SetPlan {
  name: string
  nodes: number
  postgres: boolean
  valkey: boolean
}

/** In the order in which they take turns. */
export const SETS: readonly SetPlan[] = [
  { name: 'one node, embedded', nodes: 1, postgres: false, valkey: false },
  { name: 'one node, PostgreSQL', nodes: 1, postgres: true, valkey: false },
  { name: 'one node, PostgreSQL and Valkey', nodes: 1, postgres: true, valkey: true },
  { name: 'two nodes, PostgreSQL and Valkey', nodes: 2, postgres: true, valkey: true },
  { name: 'four nodes, PostgreSQL and Valkey', nodes: 4, postgres: true, valkey: true },
]

/** Running nodes. */
export interface NodeSet extends SetPlan {
  /** The first node; `others` has the rest. */
  target: Target & { others: string[] }
  pids: number[]
}

/** Used by all sets. */
export interface Servers extends AsyncDisposable {
  postgres: PostgresServer
  valkey: ValkeyServer
}

export async function startServers(): Promise<Servers> {
  await using starting = new AsyncDisposableStack()
  const postgres = await startPostgres()
  starting.defer(() => postgres.stop())
  const valkey = await startValkey({ appendOnly: true })
  starting.defer(() => valkey.stop())
  const running = starting.move()
  return { postgres, valkey, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

export interface SetOptions {
  upstream: string
  build: Build
  servers: Servers
}

export async function startSet(scene: Scene, options: SetOptions, plan: SetPlan): Promise<NodeSet> {
  const { upstream, build, servers } = options
  const env = {
    // Nodes that share two cores with everything else are slow; shed calls would not be measured.
    OVERLOAD_MS: '0',
    SECRETS_KEY: 'the same for all nodes of a set',
    ...(plan.postgres ? { DATABASE_URL: await servers.postgres.createDatabase() } : {}),
    // Sets must not see each other's counters.
    ...(plan.valkey ? { REDIS_URL: servers.valkey.url, REDIS_PREFIX: `bench-${randomUUID()}` } : {}),
  }
  const first = await startGateway(scene, { upstream, build, env })
  const target = { ...first.target('openai'), name: plan.name, pid: null }
  const others = []
  for (let count = 1; count < plan.nodes; count++)
    others.push((await startGateway(scene, { upstream, build, env, withKeys: false })).running)
  for (const { ready } of others) await untilKnown(ready, target.headers)
  return {
    ...plan,
    target: { ...target, others: others.map(({ ready }) => ready) },
    pids: [first.running.pid, ...others.map(({ pid }) => pid)],
  }
}

/** The other nodes learn of a key that was created at the first one a moment later. */
export async function untilKnown(url: string, headers: Record<string, string>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if ((await fetch(`${url}/v1/models`, { headers })).status === 200) return
    await sleep(100)
  }
  throw new Error(`${url} does not know the key of the load`)
}

const DELIVERED_WITHIN_MS = 180_000

/** Waits until every answered call is in the tables: late delivery is part of a call's cost. */
export async function untilDelivered({ target }: NodeSet): Promise<void> {
  const until = performance.now() + DELIVERED_WITHIN_MS
  for (const url of [target.url, ...target.others]) {
    for (let lag = 1; lag > 0; ) {
      const answer = (await (await fetch(`${url}/readyz`)).json()) as { log: { lag_rows: number; last_error: unknown } }
      lag = answer.log.lag_rows
      if (lag > 0 && performance.now() > until) throw new Error(`${url} does not deliver: ${answer.log.last_error}`)
      if (lag > 0) await sleep(20)
    }
  }
}
