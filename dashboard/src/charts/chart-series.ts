import type { Interval } from './chart-data.ts'
import type { Unit } from './units.ts'

/** One colour of a chart. */
export interface ChartSeries {
  id: string
  name: string
  color: string
  /** Where to find out more about it, of an interval or of all. */
  hrefIn?: ((start?: string) => string) | undefined
  /** Exact figures, one for each start of the chart; of lines, '' where there is none. */
  values: readonly string[]
  total: string
}

export interface ChartContent {
  /** What a screen reader calls the chart and its table. */
  label: string
  unit: Unit
  interval: Interval
  /** The beginnings of the intervals, oldest first. */
  starts: readonly string[]
  series: readonly ChartSeries[]
  /** Beside each other, or as lines, are figures that are compared and make no sum. */
  layout?: 'stacked' | 'beside' | 'lines' | undefined
  height?: number | undefined
  /** Where to find out more about an interval. */
  hrefAt?: ((start: string) => string) | undefined
}
