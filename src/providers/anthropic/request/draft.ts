import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { Target } from '../../family.ts'
import type { Notes } from './notes.ts'

/** The translation in progress, while the caller's fields are read one by one. */
export interface Draft {
  request: JsonObject
  target: Target
  body: JsonObject
  notes: Notes
  /** Names of the tools that the history calls. */
  toolNames: ReadonlySet<string>
}
