import type { TokenUsage } from '../domain/pricing/usage.ts'

/** What the steps of a call report for tracing. When off, nothing is allocated and nothing is sent on. */
export interface Tracing {
  /** Its head has arrived; nothing else of it has been read. */
  begin(call: TracedHead, endpoint: TracedEndpoint): CallTrace
  /** Sends what is left, for as long as a stop may wait for it. */
  close(): Promise<void>
}

/** One call. It ends once; later reports have no effect. */
export interface CallTrace {
  /** What is asked and answered becomes part of it. */
  readonly hasContent: boolean
  attempt(): AttemptTrace
  /** Its row is complete and final. `content` is called only where `hasContent`. */
  end(row: TracedCall, content: () => TracedContent): void
  /** It ends without a row. */
  refuse(error: { code: string; status: number }): void
  /** It gets the answer of an earlier call, and has no row of its own. */
  replay(call: Pick<TracedCall, 'id' | 'workspace' | 'keyId'>): void
}

/** One upstream call. */
export interface AttemptTrace {
  /** For the provider; null: none. */
  readonly context: TraceContext | null
  /** `record` is read when the call has ended: until then it may change. */
  made(record: TracedAttempt): void
}

/** Values of header fields that may be sent as they are. */
export interface TraceContext {
  traceparent: string
  tracestate: string | null
}

export interface TracedHead {
  header(name: string): string | undefined
  /** `performance.now()` when it had arrived. */
  receivedAt: number
}

export interface TracedEndpoint {
  name: string
  path: string
  operation: string
}

/** The part of a row that may leave the gateway: names, figures and codes, never a message, a header or content. */
export interface TracedCall {
  id: string
  workspace: string
  keyId: string
  startedAt: number
  finishedAt: number
  route: string | null
  session: string | null
  requestedModel: string | null
  provider: string | null
  model: string | null
  status: number | null
  code: string | null
  fallback: boolean
  streamed: boolean
  firstContentMs: number | null
  finishReason: string | null
  usage: TokenUsage | null
  usageSource: string | null
  costPicodollars: string | null
  /** Of a route with a cache: what that did; of a hit also what it saved, and the id of the call whose answer it is. */
  cache: string | null
  savedPicodollars: string | null
  answerOf: string | null
  attempts: readonly TracedAttempt[]
}

/** Of one text: spans wait in memory, and receivers refuse large ones. */
export const TRACED_TEXT = 4_096

/** As the caller has sent it, and as it got it, of a stream what its events add up to; null: unknown. */
export interface TracedContent {
  request: unknown
  answer: unknown
}

export interface TracedAttempt {
  kind: 'called' | 'skipped'
  provider: string
  model: string
  startedAfterMs: number
  durationMs: number
  status: number | null
  code: string | null
  upstreamRequestId: string | null
}

const NO_ATTEMPT: AttemptTrace = { context: null, made() {} }
const NO_TRACE: CallTrace = { hasContent: false, attempt: () => NO_ATTEMPT, end() {}, refuse() {}, replay() {} }
export const NO_TRACING: Tracing = { begin: () => NO_TRACE, async close() {} }
