import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'

/** Deeper than any usage. */
const MOST_LEVELS = 8

/**
 * What a stream has counted so far, after one more report. Reports are totals: the last known value of each field wins.
 * Null is ignored, and a zero that replaces a number is a placeholder, unless `mayBeZero` says otherwise for this
 * field.
 */
export function mergeCounts(
  known: JsonObject,
  report: JsonObject,
  mayBeZero: (name: string) => boolean = () => false,
  level = 0,
): JsonObject {
  const merged = { ...known }
  if (level > MOST_LEVELS) return merged
  for (const name in report) {
    const [before, now] = [known[name], report[name]]
    if (now === null || now === undefined) continue
    if (isJsonObject(now)) merged[name] = mergeCounts(isJsonObject(before) ? before : {}, now, mayBeZero, level + 1)
    else if (now !== 0 || typeof before !== 'number' || mayBeZero(name)) merged[name] = now
  }
  return merged
}
