import type { TokenUsage } from '../pricing/usage.ts'
import type { JsonObject } from './call-request.ts'

/** A provider's answer in the format of the operation, without the fields that the gateway sets. */
export interface Answer {
  body: JsonObject
  /** Null when the provider reported no usage. */
  usage: TokenUsage | null
  finishReason: string | null
  /** For our log: e.g. an unknown stop reason. */
  warning: string | null
}

/** The fields of an answer that the gateway sets. */
export interface Stamp {
  id: string
  /** As the caller sent it. */
  model: string
  /** Unix seconds, used when the provider sent no time. */
  created: number
}
