/**
 * The wait that the provider requests, in milliseconds: `retry-after-ms`, else `retry-after` as seconds or as an HTTP
 * date (RFC 9110, 10.2.3). Null when absent or unreadable.
 */
export function retryAfterMs(
  headers: { 'retry-after-ms'?: string | undefined; 'retry-after'?: string | undefined },
  now: number,
): number | null {
  const milliseconds = decimal(headers['retry-after-ms'])
  if (milliseconds !== null) return Math.ceil(milliseconds)
  const value = headers['retry-after']
  const seconds = decimal(value)
  if (seconds !== null) return Math.ceil(seconds * 1000)
  if (value === undefined || !/[A-Za-z]/.test(value)) return null
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

function decimal(value: string | undefined): number | null {
  return value !== undefined && /^\s*\d{1,12}(\.\d{1,9})?\s*$/.test(value) ? Number(value) : null
}

/** The official clients ignore a longer wait and retry at once. */
const LONGEST_TOLD_SECONDS = 60

/** The `retry-after` for callers; a caller that must wait longer gets another one when it returns. */
export function wholeSeconds(waitMs: number): number {
  return Math.min(LONGEST_TOLD_SECONDS, Math.ceil(waitMs / 1000))
}
