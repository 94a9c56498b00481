/** A value in one line. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ')
  if (typeof value === 'object') return Object.keys(value).length === 0 ? 'none' : JSON.stringify(value)
  return String(value)
}
