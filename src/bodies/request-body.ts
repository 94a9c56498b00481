import type { PromptTokens } from '../domain/request/bounds.ts'
import type { CallRequest, JsonObject } from '../domain/request/call-request.ts'
import type { Translation } from '../providers/family.ts'
import type { Rename } from '../providers/rename.ts'
import type { Destination } from './destination.ts'

/** What goes to a provider. */
export type WireBytes = string | Uint8Array

/** How a request is sent once more after the provider refused a field of it. */
export type Rewrite = { kind: 'rename'; rename: Rename } | { kind: 'drop'; fields: ReadonlySet<string> }

/** What was sent and refused. */
export interface Sent {
  wire: JsonObject
  bytes: WireBytes
  destination: Destination
  /** Nobody reads these bytes any more. */
  isFree: boolean
}

/**
 * A request's body, small or large: the steps of a call need not know which. A small one is worked on where it is, a large
 * one in a worker thread, and then only an outline of the request is known here.
 */
export interface RequestBody {
  /** In bytes, as it came; null when it came some other way. */
  readonly length: number | null
  readonly request: CallRequest
  readonly promptTokens: PromptTokens
  /** SHA-256, hexadecimal; null where it was not asked for. */
  readonly hash: string | null
  /**
   * In the order of the destinations. Of a large request the wires are outlines. `isFinal`: it will not be translated again
   * with other bounds.
   */
  translate(destinations: readonly Destination[], isFinal: boolean): Translation[] | Promise<Translation[]>
  /** What goes to the provider at this position, which must have been translated. */
  write(position: number): WireBytes | Promise<WireBytes>
  /** Null where it cannot be sent so. */
  rewrite(rewrite: Rewrite, sent: Sent): WireBytes | null | Promise<WireBytes | null>
  /** These bytes were sent and are not needed again. */
  discard(bytes: WireBytes): void
  /** To be called when the call has ended, however it ended. */
  release(): void
}
