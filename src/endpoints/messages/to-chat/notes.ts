import type { JsonObject } from '../../../domain/request/call-request.ts'

/** What is found out on the way. */
export interface Notes {
  /** Dropped hints, named as the caller wrote them. */
  ignored: Set<string>
  /** Markers of what to cache mean something where the request goes. */
  takesMarkers: boolean
}

/** The marker of a block, for the part that it becomes; nothing where it is dropped. */
export function marked({ cache_control: marker }: JsonObject, { ignored, takesMarkers }: Notes): JsonObject {
  if ((marker ?? null) === null) return {}
  if (takesMarkers) return { cache_control: marker }
  ignored.add('cache_control')
  return {}
}
