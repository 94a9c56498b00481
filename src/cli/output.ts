import { cell } from './cell.ts'
import { type Column, formatTable } from './table.ts'

/** Where a command writes: results to standard output, everything about them to standard error. */
export interface Output {
  isJson: boolean
  json(value: unknown): void
  line(text: string): void
  /** Waits when the reader is slow, so that an export of any length takes no memory. */
  piece(text: string): Promise<void>
  table(columns: readonly Column[], rows: readonly unknown[][]): void
  details(fields: Readonly<Record<string, unknown>>): void
  note(text: string): void
  /** A line that is written over and over, on a terminal only; null ends it. */
  progress(text: string | null): void
  good(text: string): string
  bad(text: string): string
}

export interface OutputStreams {
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  noColor: boolean
}

export function createOutput({ stdout, stderr, noColor }: OutputStreams, isJson: boolean): Output {
  const colored = stdout.isTTY && !noColor
  const paint = (code: number) => (text: string) => (colored ? `\u001b[${code}m${text}\u001b[0m` : text)
  const bold = paint(1)
  const line = (text: string) => {
    stdout.write(`${text}\n`)
  }
  return {
    isJson,
    line,
    json: (value) => line(JSON.stringify(value, null, 2)),
    piece: (text) =>
      new Promise((resolve) => {
        if (stdout.write(text)) resolve()
        else stdout.once('drain', resolve)
      }),
    table(columns, rows) {
      const cells = rows.map((row) => row.map(cell))
      stdout.write(formatTable(columns, cells, { width: stdout.isTTY ? stdout.columns : null, bold }))
    },
    details(fields) {
      const width = Math.max(...Object.keys(fields).map((name) => name.length))
      for (const [name, value] of Object.entries(fields)) line(`${bold(name.padEnd(width))}  ${cell(value)}`)
    },
    note: (text) => {
      stderr.write(`${text}\n`)
    },
    progress(text) {
      if (stderr.isTTY) stderr.write(text === null ? '\r\u001b[K' : `\r\u001b[K${text}`)
    },
    good: paint(32),
    bad: paint(31),
  }
}
