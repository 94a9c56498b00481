/** What a spreadsheet takes for the start of a formula, even in quotes. An amount below zero is none. */
const FORMULA = /^(?!-\d+(\.\d+)?$)[=+\-@\t\r\n]/

/**
 * RFC 4180: quoted where a comma, a quote or a line break is inside, quotes doubled. Null is empty, objects are JSON.
 * Callers control the content of the log: a would-be formula becomes text by a leading single quote.
 */
export function csvField(value: unknown): string {
  if (value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
