import { isJsonObject, type JsonObject } from '../../domain/chat.ts'
import type { Notes } from './notes.ts'
import { mistake } from './rejection.ts'

/** The API takes no more markers than this in one request. */
const MOST_MARKERS = 4

/**
 * The cache marker that a part or message asks for. OpenAI's breakpoints promise 30 minutes or more, which the
 * default lifetime of 5 minutes would undercut: they become the 1-hour lifetime.
 */
export function cacheMarker(holder: JsonObject, path: string, notes: Notes): JsonObject | undefined {
  const control = holder['cache_control'] ?? null
  if (control !== null) return explicitMarker(control, `${path}.cache_control`, notes)
  const breakpoint = holder['prompt_cache_breakpoint'] ?? null
  if (breakpoint === null) return undefined
  const isExplicit = isJsonObject(breakpoint) && breakpoint['mode'] === 'explicit'
  if (isExplicit && notes.cacheMarkers < MOST_MARKERS) {
    notes.cacheMarkers += 1
    return { type: 'ephemeral', ttl: '1h' }
  }
  notes.ignored.add('prompt_cache_breakpoint')
  return undefined
}

function explicitMarker(control: unknown, path: string, notes: Notes): JsonObject {
  if (!isJsonObject(control)) return mistake(`${path}: expected an object`)
  if (notes.cacheMarkers >= MOST_MARKERS) {
    return mistake(`${path}: at most ${MOST_MARKERS} cache_control markers are allowed in a request`)
  }
  notes.cacheMarkers += 1
  const ttl = control['ttl'] ?? null
  const type = control['type'] ?? 'ephemeral'
  return ttl === null ? { type } : { type, ttl }
}
