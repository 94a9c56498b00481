import { randomUUID } from 'node:crypto'
import { type Connection, openConnection } from './connection.ts'
import { enter } from './installation.ts'
import { Leases } from './leases.ts'
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
  const { url, prefix, waitMs } = options
  const up = Promise.withResolvers<void>()
  let problem = 'no connection'
  const onDown = (text: string) => {
    problem = text
  }
  const connection = openConnection({ url, prefix, waitMs, onUp: () => up.resolve(), onDown })
  const late = setTimeout(() => up.reject(new Error(`the shared counters cannot be reached: ${problem}`)), waitMs)
  try {
    await up.promise
    return await report(connection, options)
  } finally {
    clearTimeout(late)
    await connection.close()
  }
}

async function report(connection: Connection, options: RecoverNodeOptions): Promise<boolean> {
  const { node, position, readTail, readLeft, now } = options
  await enter(connection, options)
  const process = randomUUID()
  const [isJoined, , , , reported, leased] = await connection.run(JOIN, ['', node, process])
  if (isJoined !== 1) return false
  const tail = await readTail(Number(reported), position)
  if (tail === null) throw new Error('the spool no longer has what the shared counters miss')
  const reports = new Reports(new Leases(position))
  reports.forget(process)
  reports.add({ ...tail, left: await readLeft(node, now()) }, now())
  const message = reports.compose([], true, now())
  const [isTaken] = await connection.run(SYNC, ['', node, process, '1', String(position), '1', message.text])
  if (isTaken !== 1) throw new Error('the shared counters are being rebuilt')
  await connection.run(LEAVE, ['', node, '', ''])
  return Number(leased) > 0 || message.scopes.length > 0
}
