import { requestBody } from './bodies.ts'
import { type ClosedLoopResult, runClosedLoop } from './closed-loop.ts'
import { requestBytes } from './connection.ts'

/** What the bench hands over, as one JSON argument. */
export interface LoadOrder {
  kind: 'closed'
  url: string
  path: string
  headers: Record<string, string>
  model: string
  bodyBytes: number
  connections: number
  warmupSeconds: number
  seconds: number
  pid: number | null
}

/** What comes back, as one line of JSON. */
export type LoadResult = ClosedLoopResult

function run(order: LoadOrder): Promise<LoadResult> {
  const body = requestBody(order.model, order.bodyBytes)
  const request = requestBytes(new URL(order.url), order.path, order.headers, body)
  return runClosedLoop({ ...order, request })
}

const result = await run(JSON.parse(process.argv[2] ?? '') as LoadOrder)
// Connections of a process under load may be slow to end; nobody waits for them.
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0))
