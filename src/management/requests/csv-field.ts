/** What a spreadsheet takes for the beginning of a formula, though it stands in quotes. */
const FORMULA = /^[=+\-@\t\r\n]/

/**
 * RFC 4180: quoted where a comma, a quote or a line break is inside, quotes doubled. Null is empty, objects are JSON.
 * Callers choose what stands in the log: a text that would be a formula is made a text by a single quote in front of it.
 */
export function csvField(value: unknown): string {
  if (value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
