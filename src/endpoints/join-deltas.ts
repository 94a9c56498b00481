import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'

/** Texts of a stream are joined, until there are `most` characters; of anything else the last counts. */
export function joinText(before: unknown, next: unknown, most = Number.POSITIVE_INFINITY): unknown {
  if (typeof next !== 'string') return next ?? before
  if (typeof before !== 'string') return next
  return before.length < most ? before + next : before
}

/** The objects of a list; what is none of them is left out. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}
