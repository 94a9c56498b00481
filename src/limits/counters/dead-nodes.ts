import { leaseOf, listOf } from './answers.ts'
import type { Connection } from './connection.ts'
import type { Reports } from './reports.ts'
import type { RequestLogView } from './request-log.ts'
import { FIND_SILENT, LEASED, LEAVE, MARK_DEAD } from './scripts/node.ts'
import type { Syncs } from './syncs.ts'

interface Options {
  connection(): Connection
  requestLog: RequestLogView
  reports: Reports
  syncs(): Syncs
  /** This one. */
  node: string
  log: { info(details: object, message: string): void }
  /** Unix milliseconds of the server. */
  now(): number
}

/**
 * A silent node's rates and concurrency go to other nodes; its money stays leased until its spool shows what it has
 * spent. Once the spool is delivered, or the node was forgotten, its leases are free, unless the log has more than was
 * reported to the counters. Such nodes are returned when the counters can be rebuilt from the log at once; until then
 * their money stays leased as well.
 */
export async function releaseDeadNodes(options: Options, silentMs: number): Promise<string[]> {
  const { connection, node, requestLog } = options
  const found = await connection().run(FIND_SILENT, { clock: '', silent_ms: String(silentMs) })
  const dead = listOf(found.nodes).map(String)
  const others = dead.filter((each) => each !== node)
  if (others.length === 0) return []
  const running = (await requestLog.runningNodes()).map((each) => each.node)
  const unreported: string[] = []
  for (const each of others) {
    if (!running.includes(each) && (await isFreed(each, options, silentMs))) continue
    await connection().run(MARK_DEAD, { clock: '', node: each, silent_ms: String(silentMs) })
    if (!running.includes(each)) unreported.push(each)
  }
  if (unreported.length === 0) return []
  // A rebuild waits for all that run: for one that is dead, too.
  const joined = listOf((await connection().run(LEASED, {})).nodes).map((value) => leaseOf(value).node)
  return running.every((each) => joined.includes(each) && !dead.includes(each)) ? unreported : []
}

/** False: the log has costs that were not reported to the counters. */
async function isFreed(gone: string, options: Options, silentMs: number): Promise<boolean> {
  const { connection, syncs, requestLog, reports, log, now } = options
  // The costs of its interrupted calls are in the log; no other node reports them.
  reports.add({ spent: [], seconds: [], left: await requestLog.readLeft(gone, now()) }, now())
  if (!(await syncs().flush())) return true
  const { ends, seq } = await requestLog.positionOf(gone)
  const given = { clock: '', node: gone, silent_ms: String(silentMs), logged: String(ends), whole: String(seq) }
  const { kind } = await connection().run(LEAVE, given)
  if (kind === 'left') log.info({ node: gone }, 'a node is gone: its leases were released')
  return kind !== 'unreported'
}
