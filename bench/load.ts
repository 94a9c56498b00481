import { requestBody } from './bodies.ts'
import { type ClosedLoopResult, runClosedLoop } from './closed-loop.ts'
import { requestBytes } from './connection.ts'
import { type OpenLoopResult, runOpenLoop, type Stage } from './open-loop.ts'

interface CallOrder {
  url: string
  /** More of the same: connections go to all of them in turn. */
  others?: readonly string[]
  path: string
  headers: Record<string, string>
  model: string
  bodyBytes: number
  connections: number
}

export interface ClosedOrder extends CallOrder {
  kind: 'closed'
  warmupSeconds: number
  seconds: number
  leastRequests?: number
  extensionSeconds?: number
  /** Whose CPU time is measured over the same window; null for none. */
  pid: number | null
}

export interface OpenOrder extends CallOrder {
  kind: 'open'
  stages: Stage[]
}

/** What the bench hands over, as one JSON argument; what comes back is one line of JSON. */
export type LoadOrder = ClosedOrder | OpenOrder
export type LoadResult<Order extends LoadOrder> = Order extends ClosedOrder ? ClosedLoopResult : OpenLoopResult

function run(order: LoadOrder): Promise<ClosedLoopResult | OpenLoopResult> {
  const body = requestBody(order.model, order.bodyBytes)
  const request = requestBytes(new URL(order.url), order.path, order.headers, body)
  return order.kind === 'closed' ? runClosedLoop({ ...order, request }) : runOpenLoop({ ...order, request })
}

const result = await run(JSON.parse(process.argv[2] ?? '') as LoadOrder)
// Connections of a process under load may be slow to end; nobody waits for them.
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0))
