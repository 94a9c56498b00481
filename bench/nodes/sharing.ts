import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openConnection } from '../../src/limits/counters/connection.ts'
import { median, type Spread, spreadOf } from '../load/percentiles.ts'
import { readUsage, treeMicroseconds } from '../load/process-usage.ts'
import { CONNECTIONS, measureGroups, warmUp } from '../parts/latency.ts'
import { ratiosWithin, runTogether, togetherRows } from '../parts/together.ts'
import type { RunOptions } from '../plan.ts'
import { direct } from '../run/contestants.ts'
import { FREE, KEY_LIMITS, newKey } from '../run/gateway.ts'
import { UNPINNED } from '../run/pinning.ts'
import { createScene, type Scene, startUpstream, type Upstream } from '../run/scene.ts'
import { type NodeSet, SETS, type Servers, type SetPlan, startSet, untilDelivered, untilKnown } from './node-sets.ts'

/** What sharing the limits and the log costs. Per call, where nothing else is said. */
export interface SharingResult {
  /** CPU of a node with PostgreSQL, and with Valkey as well, against an embedded one that is as busy. */
  cpu: { name: string; ratio: number | null; spread: Spread | null; rounds: number }[]
  /** Two nodes and Valkey. */
  counters: CountersRow[]
  postgres: { rate: number; keys: number; microseconds: number; walBytes: number; failed: number }[]
  /** Milliseconds that Valkey adds to a node with PostgreSQL, at the same time. */
  added: { p50Ms: number | null; p99Ms: number | null }
}

export interface CountersRow {
  name: string
  calls: number
  /** Neither served nor refused by a limit. */
  failed: number
  firstError: string | null
  refused: number
  /** Calls that waited for Valkey. */
  waits: number
  /** Messages to Valkey, waited for or not. */
  messages: number
  valkeyMicroseconds: number
  appendedBytes: number
}

const plan = (nodes: number, valkey = true): SetPlan =>
  SETS.find((set) => set.nodes === nodes && set.postgres && set.valkey === valkey) as SetPlan
const EMBEDDED = SETS[0] as SetPlan
const MANY = 100
/** Calls a second and node. */
const RATE = 1_000
/** Less than eight holds a node: nothing is leased in advance. */
const NEARLY_SPENT = { budget: { usd: '0.025', per: 'month', mode: 'hard' } }
const AWAY_MS = 1_000

export async function measureSharing(options: RunOptions, servers: Servers): Promise<SharingResult> {
  const within = async <Result>(measure: (measured: Measured) => Promise<Result>): Promise<Result> => {
    await using scene = createScene(UNPINNED)
    const result = await measure({ options, servers, scene, upstream: await startUpstream(scene) })
    options.progress(`nodes: ${JSON.stringify(result)}`)
    return result
  }
  return {
    // First: later PostgreSQL also cleans up after the others.
    postgres: await within(measurePostgres),
    cpu: await within(measureCpu),
    added: await within(measureAddedBySharing),
    counters: await within(measureCounters),
  }
}

interface Measured {
  options: RunOptions
  servers: Servers
  scene: Scene
  upstream: Upstream
}

async function measureCpu({ options, servers, scene, upstream }: Measured): Promise<SharingResult['cpu']> {
  const { build, progress } = options
  const sets: NodeSet[] = []
  for (const setPlan of [EMBEDDED, plan(1, false), plan(1)])
    sets.push(await startSet(scene, { upstream: upstream.immediate, build, servers }, setPlan))
  const targets = sets.map(({ target, pids }) => ({ ...target, pid: pids[0] ?? null }))
  const [embedded, ...shared] = togetherRows(await runTogether(scene, () => targets, options.plan.against, progress))
  return shared.map(({ name, eachRound }) => {
    const ratios = ratiosWithin(eachRound, embedded?.eachRound ?? [])
    return { name, ratio: median(ratios), spread: spreadOf(ratios), rounds: ratios.length }
  })
}

async function measureAddedBySharing({ options, servers, scene, upstream }: Measured): Promise<SharingResult['added']> {
  const { build, progress } = options
  const group = [direct(upstream.after50ms)]
  for (const setPlan of [plan(1, false), plan(1)]) {
    const { target } = await startSet(scene, { upstream: upstream.after50ms, build, servers }, setPlan)
    await warmUp(scene, target, options.plan.warmupSeconds)
    group.push(target)
  }
  const rounds = options.plan.latency.rates[0]?.rounds ?? 1
  const rates = [{ rate: 500, rounds }]
  const rows = await measureGroups(scene, [group], { rates, seconds: options.plan.latency.seconds }, progress)
  const [alone, shared] = rows.slice(1).map(({ added }) => added)
  const more = (which: 'p50Ms' | 'p99Ms') => {
    const [here, before] = [shared?.[which] ?? null, alone?.[which] ?? null]
    return here === null || before === null ? null : here - before
  }
  return { p50Ms: more('p50Ms'), p99Ms: more('p99Ms') }
}

async function measureCounters({ options, servers, scene, upstream }: Measured): Promise<CountersRow[]> {
  const { build, progress } = options
  const set = await startSet(scene, { upstream: upstream.after50ms, build, servers }, plan(2))
  await warmUp(scene, set.target, 2 * options.plan.warmupSeconds)
  const seconds = options.plan.nodes.ratedSeconds
  const keys = {
    far: await newKeys(set, MANY, KEY_LIMITS),
    unlimited: await newKeys(set, 10, null, FREE),
    near: await newKeys(set, 40, NEARLY_SPENT),
  }
  const measure = async (name: string, values: string[], rate = RATE, during = async () => {}) => {
    progress(`nodes: two nodes, ${name}`)
    const stages = [{ rate: rate * set.nodes, seconds }]
    const before = await readCounters(set, servers)
    const loading = scene.load({
      kind: 'open',
      ...set.target,
      connections: CONNECTIONS,
      stages,
      keys: values,
    })
    await sleep((seconds * 1000) / 3)
    await during()
    const [stage] = (await loading).stages
    await untilDelivered(set)
    return rowOf(name, stage, before, await readCounters(set, servers))
  }
  const { valkey } = servers
  const absent = async (leave: () => unknown, come: () => unknown) => {
    await leave()
    await sleep(AWAY_MS)
    await come()
  }
  return [
    await measure('far from a limit', keys.far),
    await measure('unlimited', keys.unlimited),
    await measure('near a limit, until it refuses', keys.near, RATE / 4),
    await measure('far, Valkey frozen for 1 s', keys.far, RATE / 4, () => absent(valkey.freeze, valkey.wake)),
    await measure('far, Valkey killed for 1 s', keys.far, RATE / 4, () => absent(valkey.halt, valkey.resume)),
  ]
}

let keysMade = 0

async function newKeys(set: NodeSet, count: number, limits: object | null, workspace?: string): Promise<string[]> {
  const { target } = set
  const name = () => `${limits === null ? 'free' : 'load'}-${keysMade++}`
  const values: string[] = []
  while (values.length < count) values.push(await newKey(target.url, name(), limits, workspace))
  for (const url of target.others) await untilKnown(url, { authorization: `Bearer ${values.at(-1)}` })
  return values
}

type Figures = Record<'waits' | 'refused' | 'messages' | 'valkeyMicroseconds' | 'appendedBytes', number>

async function readCounters({ target }: NodeSet, { valkey }: Servers): Promise<Figures> {
  const texts = await Promise.all(
    [target.url, ...target.others].map(async (url) => (await fetch(`${url}/metrics`)).text()),
  )
  const total = (pattern: RegExp) =>
    texts.flatMap((text) => [...text.matchAll(pattern)]).reduce((sum, [, value]) => sum + Number(value), 0)
  const up = Promise.withResolvers<void>()
  const connection = openConnection({ url: valkey.url, prefix: '', waitMs: 10_000, onUp: up.resolve, onDown() {} })
  await up.promise
  const info = `${await connection.info('commandstats')}${await connection.info('persistence')}`
  await connection.close()
  const of = (pattern: RegExp) => Number(pattern.exec(info)?.[1] ?? 0)
  return {
    waits: total(/^switchyard_counters_seconds_count (\d+)/gm),
    refused: total(/^switchyard_requests_total\{.*code="budget_exceeded".*\} (\d+)/gm),
    messages: of(/cmdstat_evalsha:calls=(\d+)/),
    valkeyMicroseconds: readUsage(valkey.pid())?.cpuMicroseconds ?? 0,
    appendedBytes: of(/aof_current_size:(\d+)/),
  }
}

type Stage = { due: number; ok: number; failed: number; firstError: string | null } | undefined

function rowOf(name: string, stage: Stage, before: Figures, after: Figures): CountersRow {
  const { due, ok, firstError } = stage ?? { due: 0, ok: 0, firstError: null }
  const refused = after.refused - before.refused
  // A server that was killed has begun to count again.
  const per = (figure: keyof Figures) => Math.max(0, after[figure] - before[figure]) / Math.max(1, due)
  return {
    ...{ name, calls: due, failed: due - ok - refused, firstError, refused },
    ...{ waits: per('waits'), messages: per('messages') },
    ...{ valkeyMicroseconds: per('valkeyMicroseconds'), appendedBytes: per('appendedBytes') },
  }
}

/** Real calls take seconds; one that is answered at once is written together with its beginning. */
async function measurePostgres({ options, servers, scene, upstream }: Measured): Promise<SharingResult['postgres']> {
  const { build, progress } = options
  const set = await startSet(scene, { upstream: upstream.after2s, build, servers }, plan(1))
  // The first calls of a day make its tables.
  await warmUp(scene, set.target, options.plan.warmupSeconds)
  await untilDelivered(set)
  const client = new pg.Client(servers.postgres.url)
  await client.connect()
  const position = async () =>
    Number((await client.query("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes")).rows[0].bytes)
  const rows: SharingResult['postgres'] = []
  try {
    for (const [rate, count] of [[500, MANY] as const, [1_000, 5] as const]) {
      progress(`nodes: a provider that takes 2 s, ${rate}/s over ${count} keys`)
      const keys = await newKeys(set, count, KEY_LIMITS)
      const before = { cpu: treeMicroseconds(servers.postgres.pid()), wal: await position() }
      const stages = [{ rate, seconds: options.plan.nodes.ratedSeconds }]
      const how = { connections: 3 * CONNECTIONS, stages, keys }
      const [stage] = (await scene.load({ kind: 'open', ...set.target, ...how })).stages
      await untilDelivered(set)
      const calls = Math.max(1, stage?.ok ?? 0)
      rows.push({
        ...{ rate, keys: count, failed: (stage?.due ?? 0) - (stage?.ok ?? 0) },
        microseconds: (treeMicroseconds(servers.postgres.pid()) - before.cpu) / calls,
        walBytes: ((await position()) - before.wal) / calls,
      })
    }
  } finally {
    await client.end()
  }
  return rows
}
