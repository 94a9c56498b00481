import { admissionText } from './admission.ts'
import { label } from './label.ts'
import type { OverloadResult } from './overload.ts'
import type { SliceCount } from './pace.ts'
import type { BenchResult } from './result.ts'
import type { StartTime } from './start-time.ts'
import { tableText } from './table.ts'
import { verdicts } from './verdicts.ts'

/** Tables for people; the JSON has the same figures for programs. */
export interface Section {
  title: string
  lines: string[][]
}

export function sections(result: BenchResult): Section[] {
  const tables = [
    together(result),
    saturation(result),
    latency(result),
    latencyTogether(result),
    memory(result),
    bodies(result),
    eventLoop(result),
  ]
  const measured = tables.filter(({ lines }) => lines.length > 1)
  return result.overload === null ? measured : [...measured, overload(result.overload)]
}

export function reportText(result: BenchResult): string {
  const parts = sections(result).map(({ title, lines }) => `${title}\n\n${tableText(lines)}`)
  const start = result.start === null ? '' : startText(result.start)
  const admission = result.admission === null ? '' : admissionText(result.admission)
  const problems = result.problems.map((problem) => `NOTE: ${problem}\n`).join('')
  return `${headText(result)}\n${problems}\n${parts.join('\n')}\n${start}${admission}\n${verdictText(result)}`
}

function startText({ milliseconds, firstMilliseconds }: StartTime): string {
  const first = `the very first, with a new database: ${firstMilliseconds.toFixed(0)} ms`
  return `Start to first answer: ${milliseconds.toFixed(0)} ms (${first})\n`
}

export function headText(result: BenchResult): string {
  const { node, processor, rounds, sliceSeconds, notPinned, quick } = result
  const where = notPinned === null ? 'what is measured on a core of its own' : `NOT pinned: ${notPinned}`
  const glance = quick ? ' A QUICK run: a glance, not a result.' : ''
  return `${result.startedAt.slice(0, 10)}, ${processor}, Node ${node}; up to ${rounds} slices of ${sliceSeconds} s each, taking turns; ${where}.${glance}`
}

function verdictText(result: BenchResult): string {
  const rows = verdicts(result).map(({ what, target, figure, holds }) => [what, target, figure, verdictWord(holds)])
  return `Targets\n\n${tableText([['', 'target', 'this run', ''], ...rows])}`
}

export function verdictWord(holds: boolean | null): string {
  return holds === null ? '–' : holds ? 'holds' : 'MISSED'
}

function together({ together: rows }: BenchResult): Section {
  return {
    title: 'What a call costs: all busy at the same time on one core, 1 KB bodies, 32 connections each',
    lines: [
      ['', 'CPU µs/request', 'of it serving', '× bare hop', 'middle half', 'requests', 'shed', 'errors', 'rounds'],
      ...rows.map((row) => [
        label(row),
        whole(row.cpuMicroseconds),
        whole(row.servingMicroseconds),
        times(row.hopRatio),
        row.hopRatioSpan === null ? '–' : row.hopRatioSpan.map(times).join(' to '),
        String(row.requests),
        String(row.shed),
        String(row.errors),
        String(row.eachRound.length),
      ]),
    ],
  }
}

function saturation({ saturation: rows }: BenchResult): Section {
  return {
    title: 'Alone on its core, as busy as 32 connections make it, 1 KB bodies',
    lines: [
      [
        '',
        'requests/s',
        'p50 ms',
        'p99 ms',
        'CPU µs/request',
        'of it serving',
        'of all slices',
        'core',
        'RSS idle',
        'RSS load',
        'shed',
        'errors',
        'slices',
      ],
      ...rows.map((row) => [
        label(row),
        row.requestsPerSecond.toFixed(0),
        row.p50Ms.toFixed(2),
        row.p99Ms.toFixed(2),
        whole(row.cpuMicroseconds),
        whole(row.servingMicroseconds),
        whole(row.cpuMicrosecondsOfAll),
        row.coreShare === null ? '–' : `${(row.coreShare * 100).toFixed(0)} %`,
        megabytes(row.rssIdleBytes),
        megabytes(row.rssLoadBytes),
        String(row.shed),
        String(row.errors),
        shareText(row.slices),
      ]),
    ],
  }
}

function latency({ latency: rows }: BenchResult): Section {
  return {
    title: 'Added latency against a direct call, provider takes 50 ms, constant rate (open loop)',
    lines: [
      [
        '',
        'rate/s',
        'added p50 ms',
        'p99',
        'p99 of all',
        'p99.9 of all',
        'whole p50',
        'p99',
        'load late p99',
        'failed',
        'slices',
      ],
      ...rows.map((row) => [
        label(row),
        String(row.rate),
        ...[row.added.p50Ms, row.added.p99Ms, row.added.allP99Ms, row.added.allP999Ms].map(signed),
        ...[row.p50Ms, row.p99Ms, row.lateP99Ms].map((value) => value.toFixed(2)),
        String(row.failed),
        shareText(row.slices),
      ]),
    ],
  }
}

function latencyTogether({ latencyTogether: rows }: BenchResult): Section {
  return {
    title: `Added latency with all of them called at the same time, ${rows[0]?.rate ?? 0}/s each`,
    lines: [
      ['', 'added p50 ms', 'p99', 'p50 × bare hop', 'p99 × bare hop', 'calls', 'counted', 'rounds'],
      ...rows.map((row) => [
        label(row),
        signed(row.added.p50Ms),
        signed(row.added.p99Ms),
        times(row.hopRatio.p50),
        times(row.hopRatio.p99),
        String(row.calls),
        String(row.counted),
        String(row.rounds),
      ]),
    ],
  }
}

function memory({ memory: rows }: BenchResult): Section {
  return {
    title: 'Memory (RSS) of a fresh process',
    lines: [
      ['', 'idle', '1,000 calls in flight', 'errors'],
      ...rows.map((row) => [
        label(row),
        megabytes(row.rssIdleBytes),
        megabytes(row.rssInFlightBytes),
        String(row.failed),
      ]),
    ],
  }
}

function bodies({ bodies: rows }: BenchResult): Section {
  return {
    title: 'Larger bodies',
    lines: [
      ['', 'body', 'requests/s', 'CPU µs/request', '× bare hop', '× bare copy', 'longest hold ms', 'errors', 'slices'],
      ...rows.map((row) => [
        label(row),
        row.body,
        row.requestsPerSecond.toFixed(0),
        whole(row.cpuMicroseconds),
        times(row.hopRatio),
        times(row.copyRatio),
        row.longestHoldMs === null ? '–' : row.longestHoldMs.toFixed(1),
        String(row.errors),
        shareText(row.slices),
      ]),
    ],
  }
}

function eventLoop({ eventLoop: rows }: BenchResult): Section {
  return {
    title: 'Event loop at 1,000/s while …',
    lines: [
      [
        '',
        'longest hold ms',
        'core slower',
        'as it was',
        'of it CPU',
        'collecting',
        'by the clock',
        'worst',
        'as it was',
        'over 10 ms',
        'p50 ms',
        'p99 ms',
        'failed',
      ],
      ...rows.map((row) => [
        row.what,
        row.longest.ms.toFixed(1),
        `${row.longest.slowdown.toFixed(1)} ×`,
        ...[row.longest.measuredMs, row.longest.cpuMs, row.longest.collectingMs, row.longest.clockMs].map((value) =>
          value.toFixed(1),
        ),
        row.worstMs.toFixed(1),
        row.worstMeasuredMs.toFixed(1),
        String(row.over10ms),
        row.p50Ms.toFixed(2),
        row.p99Ms.toFixed(2),
        String(row.failed),
      ]),
    ],
  }
}

function overload(result: OverloadResult): Section {
  const stages = [
    ['before', result.before],
    ['twice saturation', result.during],
    ['after', result.after],
  ] as const
  return {
    title: `Overload (saturation: ${result.saturationRate.toFixed(0)}/s; ${recoveryText(result)}; ${result.missingFromLog} answers missing from the log; RSS at most ${megabytes(result.rssPeakBytes)})`,
    lines: [
      [
        '',
        'rate/s',
        'due',
        '200',
        '503 overloaded',
        'other',
        'given up',
        'unanswered',
        '200 p50 ms',
        'p99',
        '503 p50 ms',
        'p99',
        'late p99',
      ],
      ...stages.map(([name, stage]) => [
        name,
        ...[stage.rate, stage.due, stage.ok, stage.shed, stage.failed, stage.unsent, stage.unanswered].map(String),
        ...[stage.okMs.p50, stage.okMs.p99, stage.shedMs.p50, stage.shedMs.p99, stage.lateMs.p99].map((value) =>
          value.toFixed(1),
        ),
      ]),
    ],
  }
}

/** In words, for the tables and the verdict. */
export function recoveryText({ recoveryMs }: OverloadResult): string {
  return recoveryMs === null ? 'not normal again within the run' : `normal again after ${recoveryMs} ms`
}

function whole(value: number | null): string {
  return value === null ? '–' : value.toFixed(0)
}

function times(value: number | null): string {
  return value === null ? '–' : value.toFixed(2)
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`
}

export function megabytes(bytes: number | null): string {
  return bytes === null ? '–' : `${(bytes / 1e6).toFixed(0)} MB`
}

function shareText({ used, all }: SliceCount): string {
  return `${used} of ${all}`
}
