/** Longer than any model's name, and far below the header limits of clients. */
const LONGEST_HEADER = 1024

const UNSAFE = /[^\x20-\x7e]/

/** A name may be any text; a header value is visible ASCII of limited length. */
export function headerSafe(value: string): string {
  if (value.length <= LONGEST_HEADER && !UNSAFE.test(value)) return value
  const text = value.slice(0, LONGEST_HEADER).toWellFormed()
  return text.replace(/[^\x20-\x7e]/gu, encodeURIComponent).slice(0, LONGEST_HEADER)
}
