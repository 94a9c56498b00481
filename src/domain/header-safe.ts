/** Far beyond any model's name, and far below what clients take as headers altogether. */
const LONGEST_HEADER = 1024

/** A name is whatever somebody typed; a header takes only visible ASCII, and not endlessly. */
export function headerSafe(value: string): string {
  const text = value.slice(0, LONGEST_HEADER).toWellFormed()
  return text.replace(/[^\x20-\x7e]/gu, encodeURIComponent).slice(0, LONGEST_HEADER)
}
