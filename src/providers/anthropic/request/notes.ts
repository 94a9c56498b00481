/** What a translation records besides the body. */
export interface Notes {
  /** Hints that were dropped, in order of appearance. */
  ignored: Set<string>
  /** Prompt-cache markers set so far. */
  cacheMarkers: number
}

export function newNotes(): Notes {
  return { ignored: new Set(), cacheMarkers: 0 }
}
