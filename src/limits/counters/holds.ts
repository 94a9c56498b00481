import type { LoggedHold } from '../logged-ledger.ts'
import { amountOf, dollarsAndRest } from './amount.ts'
import type { CountedCall } from './bookings.ts'
import type { Connection, Reply } from './connection.ts'
import type { LoggedEnd, RequestLogView } from './request-log.ts'
import { CLAIM, HOLDS, RESOLVE, RETAIN } from './scripts/node.ts'

const TOGETHER = 200

function readHold(node: string, entry: Reply): LoggedHold {
  const [id, , keyId, workspace, startedAt, dollars, rest, tokens] = entry as readonly (string | number)[]
  return {
    id: String(id),
    node,
    keyId: String(keyId),
    workspace: String(workspace),
    startedAt: Number(startedAt),
    holdPicodollars: Number(dollars) < 0 ? null : amountOf(Number(dollars), Number(rest)),
    holdTokens: Number(tokens) < 0 ? null : Number(tokens),
  }
}

function readHolds(node: string, reply: Reply): LoggedHold[] {
  return reply.map((entry) => readHold(node, entry as Reply))
}

/** Books what the log says of these calls. Those without an end are given up; `keeps` lets one still arrive. */
async function resolve(
  connection: Connection,
  node: string,
  calls: readonly { id: string; end: LoggedEnd | null }[],
  keeps: boolean,
): Promise<void> {
  for (let start = 0; start < calls.length; start += TOGETHER) {
    const some = calls.slice(start, start + TOGETHER)
    const args = some.flatMap(({ id, end }) => [
      id,
      end === null ? '0' : '1',
      ...dollarsAndRest(end?.costPicodollars ?? 0n),
      String(end?.tokens ?? 0),
    ])
    await connection.run(RESOLVE, ['', node, keeps ? '1' : '0', ...args])
  }
}

/** An interrupted call costs nothing and used nothing, as one that failed: either way nothing is to be booked. */
export function trueEnd(end: LoggedEnd | 'open' | undefined): LoggedEnd | null {
  if (end === undefined || end === 'open') return null
  return end.costPicodollars === 0n && end.tokens === 0 ? null : end
}

/**
 * Closes the calls of a node that gives no sign of life: first nobody may book them any more, then the log says which of
 * them have ended and closes the others, then their money is free. Whoever does it a second time changes nothing.
 * Returns how many there were.
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
  await resolve(
    connection,
    node,
    holds.map(({ id }) => ({ id, end: trueEnd(ends.get(id)) })),
    true,
  )
  return holds.length
}

export interface RecoverOptions {
  connection: Connection
  log: Pick<RequestLogView, 'caughtUp' | 'readEnds'>
  node: string
  /** Calls that run in this process now: their own end books them. */
  isRunning(id: string): boolean
  /** Only what was admitted before this moment. */
  before: number
}

/**
 * Settles the holds of a node by the rows of the log: what an earlier process of this node left behind, what was reaped
 * and has ended after all, and what was admitted although the answer never came. Returns how many there were.
 */
export async function recoverHolds({ connection, log, node, isRunning, before }: RecoverOptions): Promise<number> {
  const all = readHolds(node, await connection.run(HOLDS, [node]))
  const holds = all.filter(({ id, startedAt }) => startedAt <= before && !isRunning(id))
  if (holds.length === 0) return 0
  await log.caughtUp()
  const ends = await log.readEnds(holds)
  const ended = holds.filter(({ id }) => ends.get(id) !== 'open')
  await resolve(
    connection,
    node,
    ended.map(({ id }) => ({ id, end: trueEnd(ends.get(id)) })),
    false,
  )
  return ended.length
}

/** After a rebuild: what runs here under an earlier ledger and was given up meanwhile may still end. */
export async function retainCalls(connection: Connection, node: string, calls: Iterable<CountedCall>): Promise<void> {
  const running = [...calls].filter(({ held }) => !held.settled && held.position !== null)
  for (let start = 0; start < running.length; start += TOGETHER) {
    const args = running
      .slice(start, start + TOGETHER)
      .flatMap(({ held, keyId, workspace }) => [
        held.id,
        keyId,
        workspace,
        String(held.admittedAt),
        String(held.position),
      ])
    await connection.run(RETAIN, [node, ...args])
  }
}
