import { failure } from '../domain/failure.ts'
import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'
import { worded } from '../domain/wording/worded.ts'

/** What an event holds; null: no JSON object. */
export function parsedEvent(data: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(data)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

export const UNREADABLE = failure('upstream_error', worded`The provider sent an event that cannot be read.`, 200, {
  retry: 'once',
})
/** What was generated may have been billed: it is not asked for again here. */
export const CUT = failure(
  'upstream_error',
  worded`The provider ended its stream before the answer was complete.`,
  200,
  {
    retry: 'no',
  },
)
