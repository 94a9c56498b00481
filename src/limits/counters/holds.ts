import type { LoggedHold } from '../logged-ledger.ts'
import { amountOf, dollarsAndRest } from './amount.ts'
import type { CountedCall } from './bookings.ts'
import type { Connection, Reply } from './connection.ts'
import type { LoggedEnd, RequestLogView } from './request-log.ts'
import { CLAIM, HOLDS, RESOLVE, RETAIN } from './scripts/node.ts'

const TOGETHER = 200

function readHold(node: string, entry: Reply): LoggedHold {
  const [id, , keyId, workspace, startedAt, dollars, rest, tokens, stream] = entry as readonly (string | number)[]
  return {
    id: String(id),
    node,
    keyId: String(keyId),
    workspace: String(workspace),
    startedAt: Number(startedAt),
    holdPicodollars: Number(dollars) < 0 ? null : amountOf(Number(dollars), Number(rest)),
    holdTokens: Number(tokens) < 0 ? null : Number(tokens),
    isStream: stream === 1,
  }
}

function readHolds(node: string, reply: Reply): LoggedHold[] {
  return reply.map((entry) => readHold(node, entry as Reply))
}

/** Books these calls by the log. Those without an end are given up; with `keeps` a late end can still be booked. */
async function resolve(
  connection: Connection,
  node: string,
  calls: readonly LoggedHold[],
  ends: ReadonlyMap<string, LoggedEnd | 'open'>,
  keeps: boolean,
): Promise<void> {
  for (let start = 0; start < calls.length; start += TOGETHER) {
    const some = calls.slice(start, start + TOGETHER)
    const args = some.flatMap(({ id }) => {
      const end = ends.get(id)
      const { costPicodollars, tokens } = end === undefined || end === 'open' ? NOTHING : end
      return [id, trueEnd(end) === null ? '0' : '1', ...dollarsAndRest(costPicodollars), String(tokens)]
    })
    await connection.run(RESOLVE, ['', node, keeps ? '1' : '0', ...args])
  }
}

const NOTHING = { costPicodollars: 0n, tokens: 0 }

/** A failed call costs and uses nothing, and an interrupted one is not at its end: there is nothing to book for good. */
export function trueEnd(end: LoggedEnd | 'open' | undefined): LoggedEnd | null {
  if (end === undefined || end === 'open' || end.isInterrupted) return null
  return end.costPicodollars === 0n && end.tokens === 0 ? null : end
}

/**
 * Closes the calls of a dead node: first the counters stop accepting their ends, then the log reports which of them
 * ended and closes the others, then the holds are released, or booked where the log has them as cost. Repeating it
 * changes nothing. Returns the number of calls.
 */
export async function reapNode(
  connection: Connection,
  log: Pick<RequestLogView, 'closeHolds' | 'readEnds'>,
  node: string,
  now: number,
): Promise<number> {
  const holds = readHolds(node, await connection.run(CLAIM, [node]))
  if (holds.length === 0) return 0
  await log.closeHolds(holds, now)
  const ends = await log.readEnds(holds)
  await resolve(connection, node, holds, ends, true)
  return holds.length
}

export interface RecoverOptions {
  connection: Connection
  log: Pick<RequestLogView, 'caughtUp' | 'readEnds'>
  node: string
  /** Calls that run in this process now: they book themselves. */
  isRunning(id: string): boolean
  /** Only calls admitted before this moment. */
  before: number
}

/**
 * Settles the holds of a node by the log: those that an earlier process of this node left, those that were given up but
 * ended, and those whose admission was never answered. Returns the number of calls.
 */
export async function recoverHolds({ connection, log, node, isRunning, before }: RecoverOptions): Promise<number> {
  const all = readHolds(node, await connection.run(HOLDS, [node]))
  const holds = all.filter(({ id, startedAt }) => startedAt <= before && !isRunning(id))
  if (holds.length === 0) return 0
  await log.caughtUp()
  const ends = await log.readEnds(holds)
  const ended = holds.filter(({ id }) => ends.get(id) !== 'open')
  await resolve(connection, node, ended, ends, false)
  return ended.length
}

/** After a rebuild: calls that run here under an earlier ledger and were given up may still end. */
export async function retainCalls(connection: Connection, node: string, calls: Iterable<CountedCall>): Promise<void> {
  const running = [...calls].filter(({ held }) => !held.settled && held.position !== null)
  for (let start = 0; start < running.length; start += TOGETHER) {
    const args = running.slice(start, start + TOGETHER).flatMap(({ held, keyId, workspace }) => [
      held.id,
      keyId,
      workspace,
      String(held.admittedAt),
      String(held.position),
      // A stream that was given up has its hold as its cost.
      ...dollarsAndRest(held.hold.isStream === true ? (held.hold.picodollars ?? 0n) : 0n),
    ])
    await connection.run(RETAIN, [node, ...args])
  }
}
