import type { UsageSource } from '../log/stream-words.ts'
import type { TokenUsage } from '../pricing/usage.ts'
import type { JsonObject } from './call-request.ts'
import type { Sealing } from './sealing.ts'

/** A provider's answer in the format of the operation, without the fields that the gateway sets. */
export interface Answer {
  body: JsonObject
  /** Null when the provider reported no usage. */
  usage: TokenUsage | null
  /** Who counted it; missing: the provider. */
  usageSource?: UsageSource
  /** In place of `usage`, where the model has no price for what it used but prices per token. */
  orTokens?: TokenUsage
  finishReason: string | null
  /** For our log: e.g. an unknown stop reason. */
  warning: string | null
  /** `body` as received, where it is in the endpoint's own format and passes except for the model. */
  json?: string
  /** Of an answer that is no JSON: `json` is what it says. */
  contentType?: string
  /** What the model thought, for a caller who sends it back in the next turn. */
  reasoning?: ReasoningBlock[]
}

/** A part of a model's reasoning. Providers accept it back only with the signature, or the data, that they gave. */
export type ReasoningBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }

/** The fields of an answer that the gateway sets. */
export interface Stamp {
  id: string
  /** As the caller sent it. */
  model: string
  /** Unix seconds, used when the provider sent no time. */
  created: number
  /** The likely size of the prompt, for formats that must name one where the provider counts nothing. */
  promptTokens?: number | null
  /** Where the endpoint seals reasoning. */
  sealing?: Sealing
}
