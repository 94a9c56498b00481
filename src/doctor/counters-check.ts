import { inspectCounters } from '../limits/counters/inspect-counters.ts'
import { type Check, good, problem } from './check.ts'

const WAIT_MS = 3_000

/** The counters that several gateways share. */
export async function checkCounters(url: string, waitMs = WAIT_MS): Promise<Check[]> {
  let found: Awaited<ReturnType<typeof inspectCounters>>
  try {
    found = await inspectCounters(url, waitMs)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [problem('counters', `no answer (${reason}): check REDIS_URL and that the server runs`)]
  }
  const { server, keepsMemory, evictionPolicy } = found
  if (evictionPolicy !== 'noeviction') {
    const advice = 'set maxmemory-policy to noeviction, or counters are lost when its memory is full'
    return [problem('counters', `${server} answers, but evicts keys (${evictionPolicy}): ${advice}`)]
  }
  const memory = keepsMemory
    ? 'and survives a crash (append-only file)'
    : 'but loses its data in a crash; "appendonly yes" avoids rebuilding it from the log'
  return [good('counters', `${server} answers ${memory}`)]
}
