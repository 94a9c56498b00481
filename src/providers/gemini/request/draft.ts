import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { Target } from '../../family.ts'
import type { Door } from '../door.ts'

/** The translation in progress, while the caller's fields are read one by one. */
export interface Draft {
  request: JsonObject
  target: Target
  door: Door
  body: JsonObject
  /** The `generationConfig` of the body. */
  config: JsonObject
  /** Hints that were dropped, in order of appearance. */
  ignored: Set<string>
}
