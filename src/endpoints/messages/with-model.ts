import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'

/** A field whose value is neither an object nor a list, and what separates it from the next. */
const FIELD = /"([^"\\]*(?:\\.[^"\\]*)*)"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*"|[-+.\w]+)\s*[,}]\s*/dy
/** A message begins here, alone or in the event that starts a stream. */
const OPENING = /^\s*\{\s*(?:"type"\s*:\s*"message_start"\s*,\s*"message"\s*:\s*\{\s*)?/

/**
 * A provider's message with the caller's name of the model; the other bytes pass. Where the model comes after the
 * content its place is not certain, and the JSON is written anew.
 */
export function withModel(json: string, value: JsonObject, model: string): string {
  const place = modelPlace(json)
  return place === null
    ? JSON.stringify(rewritten(value, model))
    : json.slice(0, place[0]) + JSON.stringify(model) + json.slice(place[1])
}

function modelPlace(json: string): readonly [number, number] | null {
  FIELD.lastIndex = OPENING.exec(json)?.[0].length ?? 0
  for (let field = FIELD.exec(json); field !== null; field = FIELD.exec(json)) {
    if (field[1] === 'model') return field.indices?.[2] ?? null
  }
  return null
}

function rewritten(value: JsonObject, model: string): JsonObject {
  const { message } = value
  return isJsonObject(message) ? { ...value, message: { ...message, model } } : { ...value, model }
}
