/** A row as it was read: columns differ by version, so each is looked for by its name. */
export type Row = Readonly<Record<string, unknown>>

export function textIn(row: Row, column: string): string | null {
  const value = row[column]
  return typeof value === 'string' && value !== '' ? value : null
}

export function numberIn(row: Row, column: string): number | null {
  const value = row[column]
  return typeof value === 'number' ? value : null
}

/** A list of texts; null and a missing column are empty. */
export function listIn(row: Row, column: string): string[] {
  const value = row[column]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** JSON; older writers stored the text of it as a JSON string. */
export function jsonIn(row: Row, column: string): Record<string, unknown> {
  const value = unwrapped(row[column])
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

export function unwrapped(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Whether a setting says nothing: null, false, an empty text, list or object. */
export function isEmpty(value: unknown): boolean {
  const inner = unwrapped(value)
  if (inner === null || inner === undefined || inner === false || inner === '') return true
  return typeof inner === 'object' && Object.keys(inner).length === 0
}
