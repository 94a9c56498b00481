import type { TokenUsage } from '../pricing/usage.ts'
import type { JsonObject } from './call-request.ts'

/** A provider's answer in the words of the operation, but for what the gateway itself says in it. */
export interface Answer {
  body: JsonObject
  /** Null where the provider did not count. */
  usage: TokenUsage | null
  finishReason: string | null
  /** For our log: e.g. a stop reason that we do not know. */
  warning: string | null
}

/** What the gateway itself says in an answer. */
export interface Stamp {
  id: string
  /** As the caller named it. */
  model: string
  /** Unix seconds, where the provider sent no time. */
  created: number
}
