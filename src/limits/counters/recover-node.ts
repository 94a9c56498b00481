import { openConnection } from './connection.ts'
import { recoverHolds } from './holds.ts'
import type { RequestLogView } from './request-log.ts'
import { LEAVE } from './scripts/node.ts'
import { bookUnbooked, type Unbooked } from './unbooked.ts'

export interface RecoverNodeOptions {
  url: string
  prefix: string
  /** Its spool is fully delivered. */
  node: string
  /** Calls that it allowed unchecked. */
  unbooked: Pick<Unbooked, 'read'>
  readEnds: RequestLogView['readEnds']
  /** Time to connect. */
  waitMs: number
}

/** Settles everything that the shared counters hold for a dead node. Returns the number of calls. */
export async function recoverNode(options: RecoverNodeOptions): Promise<number> {
  const { url, prefix, node, readEnds, waitMs } = options
  const up = Promise.withResolvers<void>()
  let problem = 'no connection'
  const onDown = (text: string) => {
    problem = text
  }
  const connection = openConnection({ url, prefix, waitMs, onUp: () => up.resolve(), onDown })
  const late = setTimeout(() => up.reject(new Error(`the shared counters cannot be reached: ${problem}`)), waitMs)
  try {
    await up.promise
    await bookUnbooked(connection, readEnds, node, options.unbooked.read())
    const log = { caughtUp: async () => {}, readEnds }
    const isRunning = () => false
    const before = Number.POSITIVE_INFINITY
    const recovered = await recoverHolds({ connection, log, node, isRunning, before })
    await connection.run(LEAVE, [node])
    return recovered
  } finally {
    clearTimeout(late)
    await connection.close()
  }
}
