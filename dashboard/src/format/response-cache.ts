/** What the cache of a route did, as `x-gateway-cache` and the log name it, as text. */
export const CACHE_WORDS: Readonly<Record<string, string>> = {
  hit: 'answered from the cache',
  miss: 'not in the cache',
  bypass: 'bypassed',
}

/** `hit: a stored answer was given`. */
export function cacheText(verdict: string): string {
  return verdict in CACHE_WORDS ? `${verdict}: ${CACHE_WORDS[verdict]}` : verdict
}
