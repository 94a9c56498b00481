import type { CallRequest } from './call-request.ts'
import type { ChatRequest } from './chat.ts'
import type { Rejected } from './rejection.ts'
import type { Sealing } from './sealing.ts'

/** A request as a chat request, or why it has none. */
export type Bridged =
  /** `ignored`: dropped hints, named as the caller wrote them. */
  { kind: 'chat'; request: ChatRequest; ignored: string[] } | Rejected

/** Where a bridged request goes. */
export interface BridgeTarget {
  model: string
  sealing?: Sealing
  /** The route makes no summary of a conversation. */
  refusesCompaction?: true
}

/**
 * How requests of a format reach families that do not speak it: as chat requests, so that each format is translated
 * once and not for every family. Answers come back as completions or stream parts; the endpoint writes them. Pure.
 */
export interface Bridge<Request extends CallRequest = CallRequest> {
  /** Never changes the request. Limits are named `max_completion_tokens`. */
  toChat(request: Request, target: BridgeTarget): Bridged
  /** What the reading of the answer depends on. An outline of the request is enough. */
  answerShape(request: Request): ChatRequest
  /** Whether only the text of the answer is of use, so that one without a text has failed. An outline is enough. */
  needsText?(request: Request): boolean
}
