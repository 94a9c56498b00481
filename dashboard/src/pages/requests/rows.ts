/** What of a request the order of the list needs. */
export interface Listed {
  id: string
  started_at: string
}

/**
 * Lists merged in the gateway's order: newest first, by id within a millisecond. Of a request in several lists, the
 * last list's version counts: it was read last.
 */
export function mergeRows<Row extends Listed>(...lists: readonly (readonly Row[])[]): Row[] {
  const byId = new Map<string, Row>()
  for (const row of lists.flat()) byId.set(row.id, row)
  return [...byId.values()].sort(newestFirst)
}

// All times come from the gateway in one form, so their texts sort like the times.
function newestFirst(a: Listed, b: Listed): number {
  if (a.started_at !== b.started_at) return a.started_at < b.started_at ? 1 : -1
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1
}

/** What of the newest page the list does not show yet. */
export function newcomers<Row extends Listed>(shown: readonly Row[], newest: readonly Row[]): Row[] {
  const known = new Set(shown.map(({ id }) => id))
  const last = shown.at(-1)
  // Older than everything shown: it belongs to a page that has not been asked for.
  return newest.filter((row) => !known.has(row.id) && (last === undefined || newestFirst(row, last) < 0))
}

/** The newest page and the list do not meet: between the two there are requests that neither has. */
export function hasGap<Row extends Listed>(shown: readonly Row[], newest: readonly Row[], isWhole: boolean): boolean {
  if (isWhole || shown.length === 0 || newest.length === 0) return false
  const known = new Set(shown.map(({ id }) => id))
  return newest.every(({ id }) => !known.has(id))
}

/** The requests before and after this one in the list; undefined at its ends and when it is not in it. */
export function neighbours<Row extends Listed>(rows: readonly Row[], id: string | undefined) {
  const index = rows.findIndex((row) => row.id === id)
  if (index === -1) return { index: null, newer: undefined, older: undefined }
  return { index, newer: rows[index - 1], older: rows[index + 1] }
}
