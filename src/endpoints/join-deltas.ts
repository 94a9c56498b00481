import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'

/** Texts of a stream are joined; of anything else the last counts. */
export function joinText(before: unknown, next: unknown, isWhole = false): unknown {
  if (typeof next !== 'string') return next ?? before
  return typeof before === 'string' && !isWhole ? before + next : next
}

/** The objects of a list; what is none of them is left out. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}
