import type { CallRequest } from './call-request.ts'
import type { Rejected } from './rejection.ts'
import type { Sealing } from './sealing.ts'

/** A request in the format that all families speak, or why it has none there. */
export type Bridged<Hub extends CallRequest = CallRequest> =
  /** `ignored`: dropped hints, named as the caller wrote them. */
  { kind: 'bridged'; request: Hub; ignored: string[] } | Rejected

/** Where a bridged request goes. */
export interface BridgeTarget {
  model: string
  sealing?: Sealing
  /** The route makes no summary of a conversation. */
  refusesCompaction?: true
  /** Markers of what to cache, in the content of messages, mean something there. */
  takesMarkers?: true
}

/**
 * How requests of a format reach families that do not speak it: as chat requests, or as our own embeddings requests, so
 * that each format is translated once and not for every family. Answers come back as completions, stream parts or lists
 * of embeddings; the endpoint writes them. Pure.
 */
export interface Bridge<Request extends CallRequest = CallRequest, Hub extends CallRequest = CallRequest> {
  /** Where it leads; missing: chat. */
  hub?: 'embeddings'
  /** Never changes the request. Limits are named `max_completion_tokens`. */
  toHub(request: Request, target: BridgeTarget): Bridged<Hub>
  /** What the reading of the answer depends on. An outline of the request is enough. */
  answerShape(request: Request): Hub
  /** Whether only the text of the answer is of use, so that one without a text has failed. An outline is enough. */
  needsText?(request: Request): boolean
}
