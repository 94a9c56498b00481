import type { Attribution } from '../domain/attribution.ts'
import type { Effects } from '../domain/cache/route-cache.ts'
import type { ToolMarks } from '../domain/loops/tool-marks.ts'
import type { PromptSegments } from '../domain/prompt-cache/segments.ts'
import type { PromptTokens } from '../domain/request/bounds.ts'
import type { CallRequest, JsonObject } from '../domain/request/call-request.ts'
import type { Omitted } from '../domain/request/json-cuts.ts'
import type { Translation } from '../providers/family.ts'
import type { Rename } from '../providers/rename.ts'
import type { Destination } from './destination.ts'

/** The body for a provider. */
export type WireBytes = string | Uint8Array

/** How to resend a request after the provider refused one of its fields. */
export type Rewrite = { kind: 'rename'; rename: Rename } | { kind: 'without'; omitted: Omitted }

export interface ReadOptions {
  /** The hash of its bytes is computed, too. */
  withHash: boolean
  /** The request may ask for a stream. */
  allowsStream: boolean
  /** Of a body that may be a form. */
  contentType?: string
  /** Marks of its tool calls are asked for, with this salt; missing: they are not. */
  toolSalt?: string
}

export interface OpenOptions extends ReadOptions {
  /** The key whose call it is: large bodies take turns by it. */
  owner: string
}

/** What was sent and refused. */
export interface Sent {
  wire: JsonObject
  bytes: WireBytes
  destination: Destination
  /** These bytes are no longer needed. */
  isFree: boolean
}

/** Without bytes where the translation is a refusal. */
export interface Retranslated {
  translation: Translation
  bytes: WireBytes | null
}

/**
 * A request's body, small or large, behind one interface. A small one is processed in place, a large one in a worker
 * thread, and then only an outline of the request is known here.
 */
export interface RequestBody {
  /** In bytes, as received; null when it did not arrive as bytes. */
  readonly length: number | null
  readonly request: CallRequest
  readonly promptTokens: PromptTokens
  /** Who the request is for. */
  readonly attribution: Attribution
  /** What the request does beside being answered. */
  readonly effects: Effects
  /** SHA-256, hexadecimal; null when not requested. */
  readonly hash: string | null
  /** Of the tool calls in its conversation. The salt must be the one with which it was opened. */
  toolMarks(salt: string): ToolMarks
  /** Hashes of the parts of its prompt, worked out when they are asked for, or in a worker. Null: there are none (yet). */
  segmentsLater(salt: string): () => PromptSegments | null
  /**
   * In the order of the destinations. The wires of a large request are outlines. `isFinal`: there is no further
   * translation with other bounds.
   */
  translate(destinations: readonly Destination[], isFinal: boolean): Translation[] | Promise<Translation[]>
  /** The body for the provider at this position, which must have been translated. */
  write(position: number): WireBytes | Promise<WireBytes>
  /** Null when it cannot be sent that way. */
  rewrite(rewrite: Rewrite, sent: Sent): WireBytes | null | Promise<WireBytes | null>
  /** In another format for the same provider; null when the body is no longer there. */
  retranslate(to: Destination, sent: Sent): Retranslated | null | Promise<Retranslated | null>
  /** These bytes were sent and are not needed again. */
  discard(bytes: WireBytes): void
  /** Call it when the call has ended, with any outcome. */
  release(): void
}
