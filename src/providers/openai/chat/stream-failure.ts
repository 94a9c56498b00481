import { type Failure, failure } from '../../../domain/failure.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { failureFromErrorBody } from '../failure.ts'

/** An error inside a stream counts as its own status, as in a whole answer; null when the event is none. */
export function failureInStream(value: JsonObject, event: string | null): Failure | null {
  const error = errorOf(value, event)
  if (error !== null) return failureFromErrorBody({ error }) ?? UNNAMED
  const { choices } = value
  return Array.isArray(choices) && choices.some(hasFailed) ? UNNAMED : null
}

/** Also without an envelope, and where some vendors keep their own fields. */
function errorOf(value: JsonObject, event: string | null): unknown {
  const { error, x_groq: extension } = value
  if (error !== null && error !== undefined) return error
  if (event === 'error' || value['object'] === 'error') return value
  return isJsonObject(extension) ? (extension['error'] ?? null) : null
}

function hasFailed(choice: unknown): boolean {
  return isJsonObject(choice) && choice['finish_reason'] === 'error'
}

const UNNAMED = failure('upstream_error', worded`The provider ended its answer with an error.`, 200)
