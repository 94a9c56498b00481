/** The first column is aligned left, figures right. */
export function tableText(lines: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...lines.map((line) => line.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return lines.map((line) => `${line.map(pad).join('  ').trimEnd()}\n`).join('')
}

export function markdownTable(lines: readonly (readonly string[])[]): string {
  const [head = [], ...rows] = lines
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return row(head) + row(head.map((_, column) => (column === 0 ? '---' : '--:'))) + rows.map(row).join('')
}

export function fixed(value: number | null | undefined, digits: number): string {
  return value?.toFixed(digits) ?? '–'
}

export function spread(values: readonly number[] | null, digits: number): string {
  return values?.map((value) => value.toFixed(digits)).join(' to ') ?? '–'
}

export function signed(value: number | null): string {
  if (value === null) return '–'
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`
}

export function megabytes(bytes: number | null | undefined): string {
  return bytes == null ? '–' : `${(bytes / 1e6).toFixed(0)} MB`
}
