import type { Measurement } from './combine.ts'
import type { BenchResult } from './run.ts'

type Column = { title: string; cell(measurement: Measurement): string }

const COLUMNS: readonly Column[] = [
  { title: 'requests/s', cell: (row) => row.requestsPerSecond.toFixed(0) },
  { title: 'p50 ms', cell: (row) => row.p50Ms.toFixed(2) },
  { title: 'p99 ms', cell: (row) => row.p99Ms.toFixed(2) },
  { title: 'CPU µs/request', cell: (row) => whole(row.cpuMicroseconds) },
  { title: 'of it serving', cell: (row) => whole(row.mainThreadMicroseconds) },
  { title: '× bare proxy', cell: (row) => (row.cpuRatio === null ? '–' : row.cpuRatio.toFixed(2)) },
  { title: 'core in use', cell: (row) => (row.coreShare === null ? '–' : `${(row.coreShare * 100).toFixed(0)} %`) },
  { title: 'RSS MB idle', cell: (row) => megabytes(row.rssIdleBytes) },
  { title: 'RSS MB after', cell: (row) => megabytes(row.rssAfterBytes) },
  { title: 'errors', cell: (row) => String(row.errors) },
]

/** One table for people; the JSON has the same figures for programs. */
export function reportText(result: BenchResult): string {
  const lines = [
    ['', ...COLUMNS.map((column) => column.title)],
    ...result.measurements.map((row) => [row.name, ...COLUMNS.map((column) => column.cell(row))]),
  ]
  const widths = lines[0]?.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0))) ?? []
  const table = lines.map((line) => line.map((cell, index) => pad(cell, widths[index] ?? 0, index)).join('  '))
  const where = result.notPinned === null ? 'measured on a core of its own' : `NOT pinned: ${result.notPinned}`
  const { node, connections, rounds, secondsPerSlice } = result
  const head = `Node ${node}, ${connections} connections, median of ${rounds} × ${secondsPerSlice} s, ${where}`
  return `${head}\n\n${table.join('\n')}\n`
}

function pad(cell: string, width: number, index: number): string {
  return index === 0 ? cell.padEnd(width) : cell.padStart(width)
}

function whole(value: number | null): string {
  return value === null ? '–' : value.toFixed(0)
}

function megabytes(bytes: number | null): string {
  return bytes === null ? '–' : (bytes / 1e6).toFixed(0)
}
