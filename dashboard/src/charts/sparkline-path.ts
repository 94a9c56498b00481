/** The line through values and the area below it, from nothing to the highest. A gap (null) is bridged by its neighbours. */
export function sparklinePath(
  values: readonly (number | null)[],
  width: number,
  height: number,
): { line: string; area: string } {
  const most = Math.max(...values.map((value) => value ?? 0), 0)
  const step = values.length > 1 ? width / (values.length - 1) : 0
  // A pixel stays free above and below, so that the line is never cut.
  const y = (value: number) => (most === 0 ? height - 1 : height - 1 - (value / most) * (height - 2))
  const points = values.flatMap((value, index) => (value === null ? [] : [`${round(index * step)} ${round(y(value))}`]))
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined || points.length < 2) return { line: '', area: '' }
  const line = `M${points.join('L')}`
  return { line, area: `${line}L${last.split(' ')[0]} ${height}L${first.split(' ')[0]} ${height}Z` }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
