/** Lines of cells that line up: the first column to the left, figures to the right. */
export function tableText(lines: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...lines.map((line) => line.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return lines.map((line) => `${line.map(pad).join('  ').trimEnd()}\n`).join('')
}

/** The same lines for a page. */
export function markdownTable(lines: readonly (readonly string[])[]): string {
  const [head = [], ...rows] = lines
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return row(head) + row(head.map((_, column) => (column === 0 ? '---' : '--:'))) + rows.map(row).join('')
}
