import { requestBody } from './bodies.ts'
import { type ClosedLoopOptions, type ClosedLoopResult, runClosedLoop } from './closed-loop.ts'
import { requestBytes } from './connections.ts'
import { type OpenLoopOptions, type OpenLoopResult, runOpenLoop } from './open-loop.ts'

/** Where calls go and what they contain. */
interface Calls {
  url: string
  /** More nodes of the same cluster: connections are spread over all of them. */
  others?: readonly string[]
  path: string
  headers: Record<string, string>
  model: string
  bodyBytes: number
}

type Made = 'urls' | 'request'
export type ClosedOrder = { kind: 'closed' } & Calls & Omit<ClosedLoopOptions, Made>
export type OpenOrder = { kind: 'open' } & Calls & Omit<OpenLoopOptions, Made>

/** The bench passes this as one JSON argument and reads the result as one line of JSON. */
export type LoadOrder = ClosedOrder | OpenOrder
export type LoadResult<Order extends LoadOrder> = Order extends ClosedOrder ? ClosedLoopResult : OpenLoopResult

const order = JSON.parse(process.argv[2] ?? '') as LoadOrder
const urls = [order.url, ...(order.others ?? [])].map((url) => new URL(url))
const request = requestBytes(new URL(order.url), order.path, order.headers, requestBody(order.model, order.bodyBytes))
const result =
  order.kind === 'closed'
    ? await runClosedLoop({ ...order, urls, request })
    : await runOpenLoop({ ...order, urls, request })
// Connections of a busy process may be slow to close; nothing waits for them.
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0))
