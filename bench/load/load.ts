import { requestBody } from './bodies.ts'
import { type ClosedLoopOptions, type ClosedLoopResult, runClosedLoop } from './closed-loop.ts'
import { requestBytes } from './connections.ts'
import { type OpenLoopOptions, type OpenLoopResult, runOpenLoop } from './open-loop.ts'
import { type CutOptions, type CutResult, type HeldResult, type HoldOptions, runCut, runHold } from './stream-loops.ts'

/** Where calls go and what they contain. */
interface Calls {
  url: string
  /** More nodes of the same cluster: connections are spread over all of them. */
  others?: readonly string[]
  path: string
  headers: Record<string, string>
  /** Values of API keys that calls take turns with, instead of the one in `headers`. */
  keys?: readonly string[]
  model: string
  stream?: boolean
}

type Made = 'urls' | 'requests'
export type ClosedOrder = { kind: 'closed' } & Calls & Omit<ClosedLoopOptions, Made>
export type OpenOrder = { kind: 'open' } & Calls & Omit<OpenLoopOptions, Made>
export type HoldOrder = { kind: 'hold' } & Calls & Omit<HoldOptions, Made>
export type CutOrder = { kind: 'cut' } & Calls & Omit<CutOptions, Made>

/** The bench passes this as one JSON argument and reads the result as one line of JSON. */
export type LoadOrder = ClosedOrder | OpenOrder | HoldOrder | CutOrder
interface Results {
  closed: ClosedLoopResult
  open: OpenLoopResult
  hold: HeldResult
  cut: CutResult
}
export type LoadResult<Order extends LoadOrder> = Results[Order['kind']]

const order = JSON.parse(process.argv[2] ?? '') as LoadOrder
const urls = [order.url, ...(order.others ?? [])].map((url) => new URL(url))
const body = requestBody(order.model, order.stream)
const heads = order.keys?.map((key) => ({ ...order.headers, authorization: `Bearer ${key}` })) ?? [order.headers]
const requests = heads.map((headers) => requestBytes(new URL(order.url), order.path, headers, body))
const result = await run(order)
// Connections of a busy process may be slow to close; nothing waits for them.
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0))

function run(order: LoadOrder): Promise<Results[keyof Results]> {
  if (order.kind === 'closed') return runClosedLoop({ ...order, urls, requests })
  if (order.kind === 'open') return runOpenLoop({ ...order, urls, requests })
  return order.kind === 'hold' ? runHold({ ...order, urls, requests }) : runCut({ ...order, urls, requests })
}
