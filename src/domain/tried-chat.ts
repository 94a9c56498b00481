import type { Presence } from './presence.ts'
import type { KeyPlace } from './usable-key.ts'

/** A chat request on behalf of a key, by somebody who may use it without its value. */
export interface TriedChat {
  id: string
  presence: Presence
  key: KeyPlace
  /** The caller's body, parsed. */
  body: unknown
  idempotencyKey: string | undefined
}
