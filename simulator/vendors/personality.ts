import type { Answer } from '../answer.ts'
import type { JsonObject } from '../json.ts'
import type { OpenaiError } from '../openai/errors.ts'

/** How a vendor that speaks the chat format differs: what it refuses, and how it words its answers. */
export interface Personality {
  /** The only fields that it takes; missing: it ignores what it does not know. */
  fields?: ReadonlySet<string>
  /** The only fields of a message that it takes. */
  messageFields?: ReadonlySet<string>
  /** What else it complains about. */
  problem?(body: JsonObject): OpenaiError | null
  /** Its own way to write an error. */
  error?(error: OpenaiError): Answer
  /** Changes a whole answer. */
  completion?(completion: JsonObject): void
  /** Changes a chunk of a stream. */
  chunk?(chunk: JsonObject): void
  /** Where a stream counts: only if asked, in the chunk with the reason of its end, or in its own place. */
  counts: 'asked' | 'at-the-end' | 'x_groq'
  /** A sign of life while it thinks. */
  comment?: string
  /** The same before a whole answer. */
  preamble?: string
}
