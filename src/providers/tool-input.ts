import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'
import { checkFaithful } from '../domain/request/faithful.ts'

/**
 * Arguments as the object that the API requires. Anything else is wrapped rather than refused: a model wrote it, and it
 * returns with every later turn of the conversation.
 */
export function toolInput(written: unknown): JsonObject {
  if (written === null || written === undefined) return {}
  if (isJsonObject(written)) return written
  if (typeof written !== 'string') return { raw_arguments: JSON.stringify(written) }
  if (written.trim() === '') return {}
  const parsed = parsedJson(written)
  const value = typeof parsed === 'string' ? parsedJson(parsed) : parsed
  return isJsonObject(value) ? value : { raw_arguments: written }
}

/** Undefined when it is not JSON, or JSON that could not be written again. */
function parsedJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    checkFaithful(value)
    return value
  } catch {
    return undefined
  }
}
