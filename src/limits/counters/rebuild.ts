import { randomInt, randomUUID } from 'node:crypto'
import type { LoggedScope } from '../ledger.ts'
import type { Connection } from './connection.ts'
import { places, toList, type Value } from './fields.ts'
import type { RequestLogView } from './request-log.ts'
import { nameOf } from './scope-name.ts'
import { LOOK } from './scripts/node.ts'
import { ARRIVE, BEGIN, COMPLETE, FORGET, WRITE_SCOPE } from './scripts/rebuild.ts'

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
  const { nodes } = await connection.run(ARRIVE, { node, server })
  const arrived = new Set((nodes as readonly Value[]).map(String))
  if (arrived.size === 0) return { kind: 'left' }
  const missing = (await log.runningNodes()).filter((each) => !arrived.has(each.node))
  if (missing.length > 0) return { kind: 'waiting', for: missing.map(({ name }) => name) }
  const token = randomUUID()
  const now = Number((await connection.run(BEGIN, { token })).at)
  if (now === 0) return { kind: 'left' }
  const { scopes, positions, left } = await log.readLedger(now)
  await writeAll(scopes, async (scope) => {
    const written = await connection.run(WRITE_SCOPE, { clock: String(now), token, logged_text: loggedText(scope) })
    if (written.is_done !== 1) throw new Error('another node is rebuilding the counters')
  })
  const { at } = await connection.run(LOOK, {})
  if (dayOf(Number(at)) !== dayOf(now)) {
    // What was read belongs to the day before.
    await connection.run(FORGET, { generation: '' })
    return { kind: 'left' }
  }
  const rebuilt = toList('rebuilt', {
    nodes: [...arrived],
    positions: positions.map((position) => toList('position', position)),
    left: left.map(({ id }) => id),
  })
  const generation = String(randomInt(1, 2 ** 48 - 1))
  const completed = await connection.run(COMPLETE, { token, generation, rebuilt_text: JSON.stringify(rebuilt) })
  return completed.is_done === 1 ? { kind: 'rebuilt', scopes: scopes.length } : { kind: 'left' }
}

const TOGETHER = 100
const DAY_MS = 86_400_000

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS)
}

async function writeAll<T>(items: readonly T[], write: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += TOGETHER) {
    await Promise.all(items.slice(start, start + TOGETHER).map(write))
  }
}

export function loggedText({ scope, spent, seconds }: Pick<LoggedScope, 'scope' | 'spent' | 'seconds'>): string {
  return JSON.stringify(
    toList('logged', {
      name: nameOf(scope),
      ...places('day_spent', spent.day),
      ...places('week_spent', spent.week),
      ...places('month_spent', spent.month),
      ...places('total_spent', spent.total),
      minute: seconds.map(({ second, requests, tokens }) => toList('second', { at: second, requests, tokens })),
    }),
  )
}
