import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { Notes } from './notes.ts'

/** The API accepts no more markers in one request; a marker is a hint, so further ones are dropped. */
const MOST_MARKERS = 4

/** The cache marker of a part or message, from the gateway's extension or from OpenAI's breakpoint. */
export function cacheMarker(holder: JsonObject, path: string, notes: Notes): JsonObject | undefined {
  const control = holder['cache_control'] ?? null
  if (control !== null) return counted('cache_control', explicitMarker(control, `${path}.cache_control`), notes)
  const breakpoint = holder['prompt_cache_breakpoint'] ?? null
  return breakpoint === null ? undefined : counted('prompt_cache_breakpoint', breakpointMarker(breakpoint), notes)
}

export function asksForCaching(holder: JsonObject): boolean {
  return (holder['cache_control'] ?? holder['prompt_cache_breakpoint'] ?? null) !== null
}

function counted(field: string, marker: JsonObject | null, notes: Notes): JsonObject | undefined {
  if (marker === null || notes.cacheMarkers >= MOST_MARKERS) {
    notes.ignored.add(field)
    return undefined
  }
  notes.cacheMarkers += 1
  return marker
}

function explicitMarker(control: unknown, path: string): JsonObject {
  if (!isJsonObject(control)) return mistake(worded`${path}: expected an object`)
  const type = control['type'] ?? 'ephemeral'
  const ttl = control['ttl'] ?? null
  return ttl === null ? { type } : { type, ttl }
}

/** Breakpoints promise at least 30 minutes, more than the default lifetime. */
function breakpointMarker(breakpoint: unknown): JsonObject | null {
  const isExplicit = isJsonObject(breakpoint) && breakpoint['mode'] === 'explicit'
  return isExplicit ? { type: 'ephemeral', ttl: '1h' } : null
}
