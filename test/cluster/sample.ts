import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { picodollars } from '../crash/prices.ts'
import type { Cluster } from './cluster.ts'
import type { Sample } from './judge.ts'

export interface Sampling {
  stop(): Promise<Sample[]>
}

export interface SamplingOptions {
  /** Hard budgets in picodollars by the ids of their keys. */
  limits: ReadonlyMap<string, bigint>
  /** By the provider so far, for calls of the key with this id. */
  billed(keyId: string): bigint
  everyMs: number
}

/**
 * Repeatedly reads from the log and every node what has been spent of the hard budgets, skipping nodes that are down.
 */
export function startSampling(
  { nodes, databaseUrl }: Pick<Cluster, 'nodes' | 'databaseUrl'>,
  { limits, billed, everyMs }: SamplingOptions,
): Sampling {
  const samples: Sample[] = []
  let running = true

  async function sampleNode({ name, manage }: Cluster['nodes'][number]): Promise<void> {
    // The bill first: the budgets must count all of it.
    const bills = new Map([...limits.keys()].map((id) => [id, billed(id)]))
    const { status, json } = await manage('GET', '/budgets?limit=100')
    if (status !== 200) return
    for (const { id, limits: own, periods, leased_usd: leased } of json.data) {
      if (!limits.has(id)) continue
      const { spent_usd: spent, unconfirmed_usd: unconfirmed, held_usd: held } = periods[own.budget.per]
      samples.push({
        keyId: id,
        source: name,
        spent: picodollars(spent),
        held: picodollars(unconfirmed) + picodollars(held) + picodollars(leased),
        billed: bills.get(id) ?? null,
      })
    }
  }

  async function sampleLog(): Promise<void> {
    const sums = await sumsOfLog(databaseUrl)
    // Rows reach it up to a second after their answers: until then it says that nothing was spent.
    for (const keyId of limits.keys())
      samples.push({ keyId, source: 'log', spent: sums.get(keyId) ?? 0n, held: 0n, billed: null })
  }

  const sampleAll = () => {
    const up = nodes.filter((node) => node.isUp())
    return Promise.allSettled([sampleLog(), ...up.map(sampleNode)])
  }
  const loop = (async () => {
    while (running) {
      await sampleAll()
      await sleep(everyMs)
    }
    await sampleAll()
  })()
  return {
    async stop() {
      running = false
      await loop
      return samples
    },
  }
}

/** In picodollars by the ids of keys; a key without rows is not in it. */
async function sumsOfLog(databaseUrl: string): Promise<Map<string, bigint>> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 2_000, query_timeout: 5_000 })
  // A server that is killed must not end this process.
  client.on('error', () => {})
  await client.connect()
  try {
    const sums = await client.query<{ key_id: string; spent: string }>(
      'select key_id, coalesce(sum(cost_picodollars), 0)::text as spent from requests group by key_id',
    )
    return new Map(sums.rows.map((row) => [row.key_id, BigInt(row.spent)]))
  } finally {
    await client.end().catch(() => {})
  }
}
