const USUAL_MS = 5_000

/** libpq's `connect_timeout` in the URL, in seconds; a server that is far away or very busy may need more than ours. */
export function connectTimeoutMs(url: string): number {
  const seconds = Number(/[?&]connect_timeout=(\d+)/.exec(url)?.[1] ?? 0)
  return seconds > 0 ? seconds * 1_000 : USUAL_MS
}
