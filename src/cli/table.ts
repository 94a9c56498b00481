export interface Column {
  title: string
  /** Numbers end at the same place. */
  isNumber?: boolean
}

export interface TableOptions {
  /** Width to keep to; null without a terminal. */
  width: number | null
  bold(text: string): string
}

const GAP = '  '
const NARROWEST = 8

/** Aligned columns; on a terminal the widest give way until a line fits. */
export function formatTable(columns: readonly Column[], rows: readonly string[][], options: TableOptions): string {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => displayWidth(row[index] ?? ''))),
  )
  if (options.width !== null) narrow(widths, columns, options.width)
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => fitted(cell, widths[index] ?? 0, columns[index]?.isNumber === true))
      .join(GAP)
      .trimEnd()
  const head = options.bold(line(columns.map(({ title }) => title)))
  return `${[head, ...rows.map(line)].join('\n')}\n`
}

/** A number that is cut is wrong, and an id that is cut cannot be pasted. */
function isWhole(column: Column | undefined): boolean {
  return column?.isNumber === true || column?.title === 'id'
}

/** Takes from the widest column that may be cut, a character at a time. */
function narrow(widths: number[], columns: readonly Column[], width: number): void {
  const total = () => widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1)
  while (total() > width) {
    const widest = widths.reduce(
      (best, each, index) => (!isWhole(columns[index]) && each > (widths[best] ?? 0) ? index : best),
      columns.findIndex((column) => !isWhole(column)),
    )
    const present = widths[widest]
    if (present === undefined || present <= NARROWEST) return
    widths[widest] = present - 1
  }
}

function fitted(cell: string, width: number, isNumber: boolean): string {
  const characters = [...cell]
  const cut = characters.length > width ? `${characters.slice(0, Math.max(width - 1, 0)).join('')}…` : cell
  const padding = ' '.repeat(Math.max(width - displayWidth(cut), 0))
  return isNumber ? padding + cut : cut + padding
}

function displayWidth(text: string): number {
  return [...text].length
}
