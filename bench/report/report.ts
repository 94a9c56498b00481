import type { BenchResult } from '../result.ts'
import { label } from '../run/scene.ts'
import { fixed, megabytes, signed, spread, tableText } from './table.ts'
import { verdicts, wordOf } from './verdicts.ts'

/** A table for people; the JSON has the same figures for programs. */
export interface Section {
  title: string
  lines: string[][]
}

function sections(result: BenchResult): Section[] {
  const tables = [together, saturation, latency, memory, streams, firstContent, streamMemory]
  return tables.map((table) => table(result)).filter(({ lines }) => lines.length > 1)
}

export function reportText(result: BenchResult): string {
  const problems = result.problems.map((problem) => `NOTE: ${problem}\n`).join('')
  const tables = sections(result).map(({ title, lines }) => `${title}\n\n${tableText(lines)}`)
  const targets = `Targets\n\n${tableText(targetLines(result))}`
  return `${headText(result)}\n${problems}\n${[...tables, startText(result), targets].join('\n')}`
}

export function startText({ start }: BenchResult): string {
  if (start === null) return ''
  const first = `the first start, which creates the database: ${start.firstMilliseconds.toFixed(0)} ms`
  return `Start to first answer: ${start.milliseconds.toFixed(0)} ms (${first}).\n`
}

export function headText({ startedAt, node, processor, notPinned, quick }: BenchResult): string {
  const where = notPinned === null ? 'the measured process on its own core' : `NOT pinned: ${notPinned}`
  const note = quick ? ' A quick run, too short for figures to cite.' : ''
  return `${startedAt.slice(0, 10)}, ${processor}, Node ${node}; medians, with the middle half as the spread; ${where}.${note}`
}

export function targetLines(result: BenchResult): string[][] {
  const rows = verdicts(result).map(({ what, target, figure, holds }) => [what, target, figure, wordOf(holds)])
  return [['what', 'target', 'this run', ''], ...rows]
}

/** The first column is the name, without a title. */
function section<Row>(title: string, rows: readonly Row[], columns: Record<string, (row: Row) => unknown>): Section {
  const titles = Object.keys(columns).slice(1)
  return {
    title,
    lines: [['', ...titles], ...rows.map((row) => Object.values(columns).map((cell) => String(cell(row))))],
  }
}

function together({ together: rows }: BenchResult): Section {
  return section('CPU per call: all busy at the same time on one core, 1 KB bodies, 32 connections each', rows, {
    name: label,
    'CPU µs/request': (row) => fixed(row.cpuMicroseconds, 0),
    'serving thread': (row) => fixed(row.servingMicroseconds, 0),
    '× bare hop': (row) => fixed(row.hopRatio, 2),
    spread: (row) => spread(row.hopRatioSpread, 2),
    requests: (row) => row.requests,
    shed: (row) => row.shed,
    errors: (row) => row.errors,
    rounds: (row) => row.eachRound.length,
  })
}

function saturation({ saturation: rows }: BenchResult): Section {
  return section('Alone on its core, as busy as 32 connections make it, 1 KB bodies', rows, {
    name: label,
    'requests/s': (row) => row.requestsPerSecond.toFixed(0),
    spread: (row) => spread(row.requestsPerSecondSpread, 0),
    'p50 ms': (row) => row.p50Ms.toFixed(2),
    'p99 ms': (row) => row.p99Ms.toFixed(2),
    'CPU µs/request': (row) => fixed(row.cpuMicroseconds, 0),
    core: (row) => (row.coreShare === null ? '–' : `${(row.coreShare * 100).toFixed(0)} %`),
    shed: (row) => row.shed,
    errors: (row) => row.errors,
  })
}

function latency({ latency: rows }: BenchResult): Section {
  return section('Added latency against direct calls at the same time, provider takes 50 ms, constant rate', rows, {
    name: label,
    'rate/s': (row) => row.rate,
    'added p50 ms': (row) => signed(row.added.p50Ms),
    spread: (row) => spread(row.addedP50Spread, 2),
    'added p99 ms': (row) => signed(row.added.p99Ms),
    'p50 × bare hop': (row) => fixed(row.hopRatio.p50, 2),
    'p99 × bare hop': (row) => fixed(row.hopRatio.p99, 2),
    'load late p99': (row) => row.lateP99Ms.toFixed(2),
    calls: (row) => row.calls,
    counted: (row) => row.counted,
    failed: (row) => row.failed,
    rounds: (row) => row.rounds,
  })
}

function memory({ memory: rows }: BenchResult): Section {
  return section('Memory (RSS) of a fresh process', rows, {
    name: label,
    idle: (row) => megabytes(row.rssIdleBytes),
    '1,000 calls in flight': (row) => megabytes(row.rssInFlightBytes),
    errors: (row) => row.failed,
  })
}

function streams({ streams: rows }: BenchResult): Section {
  return section('CPU per stream of 100 events: all at the same time on one core, 12 connections each', rows, {
    name: label,
    events: (row) => row.pace,
    'CPU µs/stream': (row) => fixed(row.cpuMicroseconds, 0),
    'serving thread': (row) => fixed(row.servingMicroseconds, 0),
    '× bare pipe': (row) => fixed(row.hopRatio, 2),
    spread: (row) => spread(row.hopRatioSpread, 2),
    streams: (row) => row.requests,
    errors: (row) => row.errors + row.shed,
    rounds: (row) => row.eachRound.length,
  })
}

function firstContent({ firstContent: rows }: BenchResult): Section {
  return section('Time to first content against direct streams at the same time, and the delay of each event', rows, {
    name: label,
    'rate/s': (row) => row.rate,
    'added p50 ms': (row) => signed(row.added.p50Ms),
    spread: (row) => spread(row.addedP50Spread, 2),
    'added p99 ms': (row) => signed(row.added.p99Ms),
    'an event, added p50': (row) => signed(row.events?.addedP50Ms ?? null),
    'added p99': (row) => signed(row.events?.addedP99Ms ?? null),
    events: (row) => row.events?.count ?? 0,
    'came with a later one': (row) => row.events?.joined ?? 0,
    'load late p99': (row) => row.lateP99Ms.toFixed(2),
    streams: (row) => row.calls,
    counted: (row) => row.counted,
    failed: (row) => row.failed,
  })
}

function streamMemory({ streamMemory: measured }: BenchResult): Section {
  if (measured === null) return { title: '', lines: [] }
  const { open, notOpen, bytesEach, growth, failed, firstError, leftRunning } = measured
  const opened = `${open} open streams: ${(bytesEach / 1e3).toFixed(0)} KB (RSS) each above idle, ${notOpen} not open`
  const title = `${opened}. Half of them cut by the caller (${failed} failed${firstError === null ? '' : `: ${firstError}`}; upstream calls left running: ${leftRunning})`
  return section(title, growth, {
    name: (row) => `after ${row.streams} streams`,
    'heap after GC': (row) => megabytes(row.heapBytes),
    RSS: (row) => megabytes(row.rssBytes),
  })
}
