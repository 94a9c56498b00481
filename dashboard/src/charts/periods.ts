import { isoAt } from '../format/time.ts'
import type { Interval } from './chart-data.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export interface Period {
  /** In the address. */
  name: string
  title: string
  /** In a sentence: "in the last hour". */
  words: string
  /** What it begins with: a whole minute, hour or UTC day, so that the first bar is a whole one. */
  alignMs: number
  lengthMs: number
  /** Of the chart of all requests. */
  interval: Interval
  /** Of the charts with groups, which have more rows. */
  groupInterval: Interval
  /** How often the charts with groups are asked for again: a month does not change in seconds. */
  groupRefreshMs: number
  /** The period before is cut at a whole one of these. */
  compareStepMs: number
}

const DEFAULT: Period = {
  name: '24h',
  title: '24 h',
  words: 'in the last 24 hours',
  alignMs: HOUR_MS,
  lengthMs: DAY_MS,
  interval: 'hour',
  groupInterval: 'hour',
  groupRefreshMs: 10_000,
  compareStepMs: MINUTE_MS,
}

export const PERIODS: readonly Period[] = [
  {
    name: '1h',
    title: '1 h',
    words: 'in the last hour',
    alignMs: MINUTE_MS,
    lengthMs: HOUR_MS,
    interval: 'minute',
    groupInterval: 'minute',
    groupRefreshMs: 10_000,
    compareStepMs: 1,
  },
  DEFAULT,
  {
    name: '7d',
    title: '7 d',
    words: 'in the last 7 days',
    alignMs: DAY_MS,
    lengthMs: 7 * DAY_MS,
    interval: 'hour',
    groupInterval: 'day',
    groupRefreshMs: 60_000,
    compareStepMs: 5 * MINUTE_MS,
  },
  {
    name: '30d',
    title: '30 d',
    words: 'in the last 30 days',
    alignMs: DAY_MS,
    lengthMs: 30 * DAY_MS,
    interval: 'day',
    groupInterval: 'day',
    groupRefreshMs: 60_000,
    compareStepMs: 5 * MINUTE_MS,
  },
]

export function periodNamed(name: string | undefined): Period {
  return PERIODS.find((period) => period.name === name) ?? DEFAULT
}

/** The interval that runs now is part of the period: of 24 hours the last one is not over yet. */
export function beginningOf({ alignMs, lengthMs }: Period, now: number): string {
  return isoAt(Math.floor(now / alignMs) * alignMs + alignMs - lengthMs)
}
