import { inspectCounters } from '../limits/counters/inspect-counters.ts'
import { anothersCounters } from '../limits/counters/installation.ts'
import { type Check, good, problem } from './check.ts'

type Inspected = Awaited<ReturnType<typeof inspectCounters>>

const WAIT_MS = 3_000

export interface Counting {
  /** Of the keys. */
  prefix?: string
  /** Of the database; null: it has none yet. */
  installation?: string | null
  waitMs?: number
}

/** The counters that several gateways share. */
export async function checkCounters(url: string, counting: Counting = {}): Promise<Check[]> {
  const { prefix = '{switchyard}:', installation = null, waitMs = WAIT_MS } = counting
  const found = await inspected(url, waitMs, prefix)
  if (typeof found === 'string') {
    return [problem('counters', `no answer (${found}): check REDIS_URL and that the server runs`)]
  }
  const { server, keepsMemory, evictionPolicy } = found
  if (found.owner !== '' && found.owner !== installation) return [problem('counters', anothersCounters(prefix))]
  if (evictionPolicy !== 'noeviction') {
    const advice = 'set maxmemory-policy to noeviction, or counters are lost when its memory is full'
    return [problem('counters', `${server} answers, but evicts keys (${evictionPolicy}): ${advice}`)]
  }
  const memory = keepsMemory
    ? 'and survives a crash (append-only file)'
    : 'but loses its data in a crash; "appendonly yes" avoids rebuilding it from the log'
  return [good('counters', `${server} answers ${memory}`)]
}

/** The response cache that several gateways share. */
export async function checkCache(url: string, waitMs = WAIT_MS): Promise<Check> {
  const found = await inspected(url, waitMs)
  if (typeof found === 'string') {
    const remedy = 'check CACHE_REDIS_URL and that the server runs; until then nothing is cached'
    return problem('response cache', `no answer (${found}): ${remedy}`)
  }
  const { server, evictionPolicy } = found
  const memory =
    evictionPolicy === 'noeviction'
      ? 'but stores nothing new once its memory is full; on a server of its own, "maxmemory-policy allkeys-lru" avoids that'
      : `and makes room when its memory is full (${evictionPolicy})`
  return good('response cache', `${server} answers ${memory}`)
}

/** Or why it does not answer. */
async function inspected(url: string, waitMs: number, prefix?: string): Promise<Inspected | string> {
  try {
    return await inspectCounters(url, waitMs, prefix)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
