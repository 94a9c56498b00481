import type { Presence } from './presence.ts'
import type { KeyPlace } from './usable-key.ts'

/** A chat request in the name of a key, by somebody who may use it without having its value. */
export interface TriedChat {
  id: string
  presence: Presence
  key: KeyPlace
  /** As the caller sent it, parsed. */
  body: unknown
  idempotencyKey: string | undefined
}
