import type { Connection } from './connection.ts'
import { endArguments } from './end-arguments.ts'
import type { RequestLogView } from './request-log.ts'
import { END } from './scripts/end.ts'

/** A call that was allowed without the counters. */
export interface UnbookedCall {
  id: string
  /** Position of its open row in the node's spool. */
  position: number
  keyId: string
  workspace: string
  startedAt: number
}

/** Stores them durably, so that their costs are booked even if this process dies. */
export interface Unbooked {
  isEmpty(): boolean
  note(call: UnbookedCall): void
  read(): UnbookedCall[]
  clear(): void
}

const TOGETHER = 200

/**
 * Books these calls by the log; those booked before stay as they are. False: there is no ledger now, and the next one
 * is built from the log.
 */
export async function bookUnbooked(
  connection: Connection,
  readEnds: RequestLogView['readEnds'],
  node: string,
  calls: readonly UnbookedCall[],
): Promise<boolean> {
  for (let start = 0; start < calls.length; start += TOGETHER) {
    const some = calls.slice(start, start + TOGETHER)
    const ends = await readEnds(some)
    const replies = await Promise.all(
      some.map(async ({ id, position, keyId, workspace, startedAt }) => {
        const end = ends.get(id)
        if (end === undefined || end === 'open') return [1]
        const call = {
          id,
          position,
          keyId,
          workspace,
          admittedAt: startedAt,
          generation: 0,
          answersAfterBooking: false,
        }
        const use = { picodollars: end.costPicodollars, tokens: end.tokens }
        return connection.run(END, endArguments({ call, use, released: false, node, clock: '' }))
      }),
    )
    if (replies.some(([outcome]) => outcome === 0)) return false
  }
  return true
}
