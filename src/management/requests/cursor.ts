import { GatewayError } from '../../domain/errors.ts'

/** Keyset pagination: a cursor is where the last page ended, readable only to us. */
export function encodeCursor(position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** Throws 400 for anything that `encodeCursor` with as many parts did not make. */
export function decodeCursor(cursor: string | undefined, parts: number): (string | number)[] | null {
  if (cursor === undefined) return null
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    const isPart = (part: unknown) => typeof part === 'string' || typeof part === 'number'
    if (Array.isArray(position) && position.length === parts && position.every(isPart)) return position
  } catch {
    // Falls through: what cannot be read is not ours.
  }
  return refuseCursor()
}

export function refuseCursor(): never {
  throw new GatewayError('invalid_request', 'cursor: not one of this list; take next_cursor of the page before')
}

/** Cuts a result that was asked for with one row too many. */
export function page<Row, Item>(
  rows: readonly Row[],
  limit: number,
  show: (row: Row) => Item,
  position: (row: Row) => (string | number)[],
): { data: Item[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    data: shown.map(show),
    next_cursor: rows.length > limit && last !== undefined ? encodeCursor(position(last)) : null,
  }
}
