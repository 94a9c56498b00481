/**
 * The provider's wish to be left alone, in milliseconds: `retry-after-ms`, else `retry-after` as seconds or as an
 * HTTP date (RFC 9110, 10.2.3). Null when absent or unreadable.
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

/** The official clients take no notice of a longer wait, and come again at once. */
const LONGEST_TOLD_SECONDS = 60

/** What callers are told in `retry-after`; who has to wait longer is told so again when they come back. */
export function toldSeconds(waitMs: number): number {
  return Math.min(LONGEST_TOLD_SECONDS, Math.ceil(waitMs / 1000))
}
