import { endOf, type Interval, stackCells, startsOf } from '../../charts/chart-data.ts'
import type { ChartContent } from '../../charts/chart-series.ts'
import { errorText } from '../../format/error-words.ts'
import { REST_COLOR, SERIES } from '../../theme.ts'
import type { Performance } from './use-performance.ts'

export type Timing = 'duration_ms' | 'first_content_ms'

/** The list of requests, with these filters. */
export type RequestsHref = (filters: Record<string, string>) => string

const PERCENTILES = [
  { id: 'p99', color: SERIES[3] },
  { id: 'p95', color: SERIES[2] },
  { id: 'p50', color: SERIES[0] },
] as const

const span = (start: string, interval: Interval) => ({ from: start, to: endOf(start, interval) })

/** Percentiles over time as lines, each interval leading to its slowest requests. Without any call, no lines. */
export function timingChart(
  answer: Performance | undefined,
  timing: Timing,
  label: string,
  requests: RequestsHref,
): ChartContent | undefined {
  if (answer === undefined || answer.interval === null) return undefined
  const { interval, from, to, data, total } = answer
  const starts = startsOf(from, to, interval)
  const rows = new Map(data.map((row) => [row.start, row[timing]]))
  const series = PERCENTILES.map(({ id, color }) => ({
    id,
    name: id,
    color,
    values: starts.map((start) => String(rows.get(start)?.[id] ?? '')),
    total: String(total[timing][id] ?? ''),
  }))
  return {
    label: `${label} per ${interval}`,
    unit: 'ms',
    layout: 'lines',
    interval,
    starts,
    series: total[timing].count === 0 ? [] : series,
    hrefAt: (start) => requests({ sort: 'slowest', status: 'ok', ...span(start, interval) }),
  }
}

/** Errors by code over time, each code and interval leading to its requests. */
export function codesChart(answer: Performance | undefined, requests: RequestsHref): ChartContent | undefined {
  if (answer === undefined || answer.interval === null) return undefined
  const { interval, from, to, data } = answer
  const starts = startsOf(from, to, interval)
  const cells = data.flatMap(({ start, codes }) =>
    Object.entries(codes).map(([group, value]) => ({ start: start ?? '', group, value: String(value) })),
  )
  const { stacks, rest } = stackCells(cells, starts)
  const hrefIn = (code: string) => (start?: string) =>
    requests({ code, ...(start === undefined ? { from, to } : span(start, interval)) })
  return {
    label: `Errors by code per ${interval}`,
    unit: 'requests',
    interval,
    starts,
    series: [
      ...stacks.map(({ group, values, total }, index) => ({
        ...{ id: group, name: errorText(group), color: SERIES[index] ?? REST_COLOR, values, total },
        hrefIn: hrefIn(group),
      })),
      ...(rest === null
        ? []
        : [{ ...rest, id: 'rest', name: `all others (${rest.groups})`, color: REST_COLOR, hrefIn: undefined }]),
    ],
    hrefAt: (start) => requests({ status: 'error', ...span(start, interval) }),
  }
}
