import { randomInt, randomUUID } from 'node:crypto'
import type { LoggedScope } from '../ledger.ts'
import type { Connection, Reply } from './connection.ts'
import type { RequestLogView } from './request-log.ts'
import { LOOK } from './scripts/node.ts'
import { ARRIVE, BEGIN, COMPLETE, FORGET, WRITE_SCOPE } from './scripts/rebuild.ts'
import { dollarsAndRest, nameOf } from './values.ts'

export type Rebuilt =
  | { kind: 'waiting'; for: string[] }
  /** Another node is rebuilding, or has done so. */
  | { kind: 'left' }
  | { kind: 'rebuilt'; scopes: number }

/**
 * One step towards a ledger: once this node's rows are in the log it reports so; once every node that may have rows
 * elsewhere has reported, one of them reads the log, writes the counters, and last marks the ledger as usable.
 */
export async function rebuildStep(
  connection: Connection,
  log: RequestLogView,
  { node, server }: { node: string; server: string },
): Promise<Rebuilt> {
  const arrived = new Set(await connection.run(ARRIVE, [node, server]))
  if (arrived.size === 0) return { kind: 'left' }
  const missing = (await log.runningNodes()).filter((each) => !arrived.has(each.node))
  if (missing.length > 0) return { kind: 'waiting', for: missing.map(({ name }) => name) }
  const token = randomUUID()
  const [now] = await connection.run(BEGIN, [token])
  if (typeof now !== 'number' || now === 0) return { kind: 'left' }
  const { scopes, positions, left } = await log.readLedger(now)
  await writeAll(scopes, (scope) => connection.run(WRITE_SCOPE, [String(now), token, ...scopeArguments(scope)]))
  const [at] = await connection.run(LOOK, [])
  if (dayOf(Number(at)) !== dayOf(now)) {
    // What was read belongs to the day before.
    await connection.run(FORGET, [''])
    return { kind: 'left' }
  }
  const places = positions.flatMap(({ node: owner, seq }) => [owner, String(seq)])
  const generation = String(randomInt(1, 2 ** 48 - 1))
  const nodes = [...arrived].map(String)
  const ids = left.map(({ id }) => id)
  const args = [token, generation, String(nodes.length), ...nodes, ...places, '', ...ids]
  const [isComplete] = await connection.run(COMPLETE, args)
  return isComplete === 1 ? { kind: 'rebuilt', scopes: scopes.length } : { kind: 'left' }
}

const TOGETHER = 100
const DAY_MS = 86_400_000

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS)
}

async function writeAll<T>(items: readonly T[], write: (item: T) => Promise<Reply>): Promise<void> {
  for (let start = 0; start < items.length; start += TOGETHER) {
    const replies = await Promise.all(items.slice(start, start + TOGETHER).map(write))
    if (replies.some(([done]) => done !== 1)) throw new Error('another node is rebuilding the counters')
  }
}

function scopeArguments({ scope, spent, seconds }: LoggedScope): string[] {
  return [
    nameOf(scope),
    ...dollarsAndRest(spent.day),
    ...dollarsAndRest(spent.week),
    ...dollarsAndRest(spent.month),
    ...dollarsAndRest(spent.total),
    ...seconds.flatMap(({ second, requests, tokens }) => [String(second), String(requests), String(tokens)]),
  ]
}
