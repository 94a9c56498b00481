/** The calls admitted in one second. */
export interface Second {
  /** Unix seconds. */
  readonly second: number
  requests: number
  /** Held while a call runs, then what it used. */
  tokens: number
  /** Outside the window: its counts no longer matter. */
  expired: boolean
}

/**
 * Requests and tokens of the last minute, by the second. A second that is only partly a minute ago counts in full, so
 * no sixty seconds, wherever they start, exceed a limit.
 */
export interface MinuteWindow {
  /** Oldest first; only seconds with calls. */
  seconds: Second[]
  requests: number
  tokens: number
}

/** The current second and the sixty before it. */
export const WINDOW_SECONDS = 61

export function newWindow(): MinuteWindow {
  return { seconds: [], requests: 0, tokens: 0 }
}

export function expire(window: MinuteWindow, now: number): void {
  const oldest = Math.floor(now / 1000) - WINDOW_SECONDS
  for (;;) {
    const first = window.seconds[0]
    if (first === undefined || first.second > oldest) return
    window.seconds.shift()
    window.requests -= first.requests
    window.tokens -= first.tokens
    first.expired = true
  }
}

/** The window must be expired up to now. */
export function countCall(window: MinuteWindow, now: number, tokens: number): Second {
  const current = Math.floor(now / 1000)
  let second = window.seconds.at(-1)
  if (second === undefined || second.second < current) {
    second = { second: current, requests: 0, tokens: 0, expired: false }
    window.seconds.push(second)
  }
  second.requests += 1
  second.tokens += tokens
  window.requests += 1
  window.tokens += tokens
  return second
}

export function correctTokens(window: MinuteWindow, second: Second, difference: number): void {
  if (second.expired) return
  second.tokens += difference
  window.tokens += difference
}

export function uncountCall(window: MinuteWindow, second: Second): void {
  if (second.expired) return
  second.requests -= 1
  window.requests -= 1
}

/** Milliseconds until at most this much is left in the window; null when even an empty window holds more. */
export function waitUntilAtMost(
  window: MinuteWindow,
  kind: 'requests' | 'tokens',
  most: number,
  now: number,
): number | null {
  if (most < 0) return null
  let left = window[kind]
  if (left <= most) return 0
  for (const second of window.seconds) {
    left -= second[kind]
    if (left <= most) return endOf(second) - now
  }
  return 0
}

/** Milliseconds until the window is empty if no call follows. Every answer tells it, so the newest second is asked first. */
export function waitUntilEmpty(window: MinuteWindow, kind: 'requests' | 'tokens', now: number): number {
  const last = window.seconds.findLast((second) => second[kind] > 0)
  return last === undefined ? 0 : endOf(last) - now
}

/** When it leaves the window, in Unix milliseconds. */
function endOf({ second }: Second): number {
  return (second + WINDOW_SECONDS) * 1000
}
