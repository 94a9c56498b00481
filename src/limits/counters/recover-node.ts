import { randomUUID } from 'node:crypto'
import { type Connection, withConnection } from './connection.ts'
import { enter } from './installation.ts'
import { Leases } from './leases.ts'
import { syncArguments } from './message.ts'
import { Reports } from './reports.ts'
import type { RequestLogView } from './request-log.ts'
import { JOIN, LEAVE } from './scripts/node.ts'
import { SYNC } from './scripts/sync.ts'

export interface RecoverNodeOptions extends Pick<RequestLogView, 'readTail' | 'readLeft'> {
  url: string
  prefix: string
  installation: string
  /** Its spool is fully delivered, up to this position. */
  node: string
  position: number
  /** Unix milliseconds. */
  now(): number
  /** Time to connect. */
  waitMs: number
}

/** Reports what a dead node had spent and gives back what it had leased. False: there was nothing. */
export async function recoverNode(options: RecoverNodeOptions): Promise<boolean> {
  let isConnected = false
  try {
    return await withConnection(options, (connection) => {
      isConnected = true
      return report(connection, options)
    })
  } catch (error) {
    throw isConnected ? error : new Error(`the shared counters cannot be reached: ${(error as Error).message}`)
  }
}

async function report(connection: Connection, options: RecoverNodeOptions): Promise<boolean> {
  const { node, position, readTail, readLeft, now } = options
  await enter(connection, options)
  const process = randomUUID()
  const joined = await connection.run(JOIN, { clock: '', node, process })
  if (joined.is_joined !== 1) return false
  const tail = await readTail(Number(joined.position), position)
  if (tail === null) throw new Error('the spool no longer has what the shared counters miss')
  const reports = new Reports(new Leases(position))
  reports.forget(process)
  reports.add({ ...tail, left: await readLeft(node, now()) }, now())
  const message = reports.compose([], true, now())
  const { kind } = await connection.run(SYNC, {
    ...syncArguments(node, message),
    position: String(position),
    clock: '',
  })
  if (kind !== 'taken') throw new Error('the shared counters are being rebuilt')
  await connection.run(LEAVE, { clock: '', node, silent_ms: '', logged: '', whole: String(position) })
  return Number(joined.leased) > 0 || message.scopes.length > 0
}
