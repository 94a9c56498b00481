/** Text is quoted, and a would-be formula begins with a single quote; figures are bare. */
export function csvText(columns: readonly string[], rows: readonly object[]): string {
  const lines = rows.map((row) => columns.map((name) => field(row, name)).join(','))
  return [columns.join(','), ...lines, ''].join('\r\n')
}

function field(row: object, name: string): string {
  const value = String((row as Record<string, unknown>)[name] ?? '')
  if (value === '' || name === 'requests' || name.endsWith('_usd')) return value
  return `"${(/^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`
}
