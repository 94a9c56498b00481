import type { GatewayError } from '../errors.ts'
import type { Failure } from '../failure.ts'
import type { UsageSource } from '../log/stream-words.ts'
import type { TokenUsage } from '../pricing/usage.ts'
import type { ReasoningBlock } from './answer.ts'
import type { JsonObject } from './call-request.ts'

/** One event of a provider's stream, as `upstream/server-sent-events.ts` reads it. */
export interface ServerSentEvent {
  /** Null without an `event:` line. */
  event: string | null
  data: string
}

/**
 * A part of a streamed answer, in any provider's wire format. Families read events into parts, endpoints write frames
 * from them. Every part commits the call to its provider, except `message-end` and `failed`, which end the stream, and
 * a chunk without content.
 */
export type StreamPart =
  | { type: 'text-delta'; text: string }
  | { type: 'refusal-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  /** A block of reasoning is complete, as a later turn must send it back; its text came before, if it has one. */
  | { type: 'reasoning-end'; block: ReasoningBlock }
  /** `index` counts the tool calls of the answer. */
  | { type: 'tool-call-start'; index: number; id: string; name: string }
  | { type: 'tool-input-delta'; index: number; text: string }
  /** An event in the endpoint's own format, where both speak the same wire format. */
  | Chunk
  /** The provider has finished its answer. */
  | { type: 'message-end'; finishReason: string; warning: string | null }
  | { type: 'failed'; failure: Failure }

export interface Chunk {
  type: 'chunk'
  /** As received, one JSON object. */
  json: string
  /** The same, parsed. */
  value: JsonObject
  /** UTF-8 bytes of generated text and tool input in it, visible or not. 0: nothing that commits the call. */
  contentBytes: number
  /** It finishes a choice or comes after that: sent with the end of the stream. */
  isEnd: boolean
  /** A chunk that differs only in text and number, so that this one need not be parsed. */
  like?: Chunk
}

/** What a provider has counted so far: the last known value of each field. */
export interface StreamUsage {
  tokens: TokenUsage
  /** In the endpoint's format, for its usage chunk. */
  body: JsonObject
  /** It counts the whole answer, not only its beginning. */
  isFinal: boolean
  /** Who counted it; missing: the provider. */
  source?: UsageSource
  /** As of a whole answer. */
  orTokens?: TokenUsage
}

/** Reads the events of one stream, in order. No I/O, no clock. */
export interface StreamReader {
  read(event: ServerSentEvent): StreamPart[]
  /** The body has ended. Without a terminal event that is a failure. */
  end(): StreamPart[]
  /** Null: nothing counted yet. */
  readonly usage: StreamUsage | null
  /** UTF-8 bytes of generated text that is in no part, but billed by the provider. */
  readonly hiddenBytes: number
  /** Every choice has its finish reason: a later failure does not spoil the answer. */
  readonly isFinished: boolean
}

/** The end of a streamed answer, known when its row is written. */
export interface StreamEnd {
  /** As the provider counted; null: it did not. */
  usage: StreamUsage | null
  /** As logged, estimated where the provider did not count. */
  tokens: TokenUsage
  /** The key `x_gateway` of the last chunk. */
  gateway: JsonObject
}

/** Writes one streamed answer in the caller's format. Frames that belong to the end are kept until `end`. */
export interface StreamWriter {
  /** Empty: nothing to send for this part. */
  write(part: StreamPart): string
  end(end: StreamEnd): string
  /** The frame of an error after which the stream ends, where it depends on what was sent before. */
  fail?(error: GatewayError): string
}

/** UTF-8 bytes of generated content: more than 0 commits the call. */
export function contentBytes(part: StreamPart): number {
  switch (part.type) {
    case 'text-delta':
    case 'refusal-delta':
    case 'reasoning-delta':
    case 'tool-input-delta':
      return Buffer.byteLength(part.text)
    case 'tool-call-start':
      return Buffer.byteLength(part.name)
    case 'chunk':
      return part.contentBytes
    default:
      return 0
  }
}
