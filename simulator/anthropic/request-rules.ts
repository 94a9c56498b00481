import type { JsonObject } from '../json.ts'

/** The vendor's message, or null when the request is good. */
export function problemWithRequest(_body: JsonObject, _version: string): string | null {
  return null
}
