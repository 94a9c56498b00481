import { memo } from 'react'
import { linePath, nameAt, type Plot, seriesPath, thinned } from './bars-geometry.ts'
import classes from './chart.module.css'
import type { ChartContent } from './chart-series.ts'
import { ticksOf, tickText } from './time-axis.ts'
import { axisText, type Unit } from './units.ts'

/** The height of the time axis. */
export const FOOT = 24
/** Of a name on the time axis, with the space around it. */
const NAME_WIDTH = 56

/** As wide as the longest figure of the scale. */
export function gutterOf(ticks: readonly number[], unit: Unit): number {
  return Math.max(...ticks.map((tick) => axisText(tick, unit).length)) * 7 + 14
}

export interface BarsDrawingProps {
  content: ChartContent
  plot: Plot
  gutter: number
  ticks: readonly number[]
  /** Of each series, one for each start. */
  values: readonly (readonly number[])[]
  layout: NonNullable<ChartContent['layout']>
  highlighted: string | null
  pointed: number | null
}

export function BarsDrawing(props: BarsDrawingProps) {
  const { content, plot, gutter, ticks, pointed } = props
  const { starts, interval, unit } = content
  const band = plot.width / plot.count
  const marks = thinned(ticksOf(starts, interval), plot.width, NAME_WIDTH)
  const centerOf = (start: string) => (starts.indexOf(start) + 0.5) * band
  return (
    <svg className={classes['drawing']} width={gutter + plot.width} height={plot.height + FOOT} aria-hidden="true">
      <g transform={`translate(${gutter} 0)`}>
        {ticks.map((tick) => {
          const y = Math.round(plot.height * (1 - tick / plot.top)) + 0.5
          return (
            <g key={tick}>
              <line x2={plot.width} y1={y} y2={y} className={classes['gridLine']} />
              <text x={-8} y={Math.max(y, 8)} dy="0.32em" textAnchor="end">
                {axisText(tick, unit)}
              </text>
            </g>
          )
        })}
        {pointed !== null && <rect x={pointed * band} width={band} height={plot.height} className={classes['band']} />}
        <Outlines {...props} />
        {marks.map((start) => (
          <text key={start} {...nameAt(centerOf(start), plot.width, NAME_WIDTH)} y={plot.height + 18}>
            {tickText(start, interval, starts.length)}
          </text>
        ))}
      </g>
    </svg>
  )
}

/** Not drawn again while the pointer moves. */
const Outlines = memo(
  ({ content, plot, values, layout, highlighted }: BarsDrawingProps) =>
    content.series.map(({ id, color, values: exact }, index) =>
      layout === 'lines' ? (
        <path
          key={id}
          data-series={id}
          d={linePath(
            plot,
            exact.map((value) => (value === '' ? null : Number(value))),
          )}
          className={classes['line'] ?? ''}
          stroke={color}
          strokeOpacity={highlighted === null || highlighted === id ? 1 : 0.2}
        />
      ) : (
        <path
          key={id}
          data-series={id}
          d={seriesPath(plot, index, values, layout === 'stacked')}
          fill={color}
          fillOpacity={highlighted === null || highlighted === id ? 1 : 0.2}
        />
      ),
    ),
  (a, b) =>
    a.values === b.values &&
    a.content.series === b.content.series &&
    a.plot.width === b.plot.width &&
    a.plot.top === b.plot.top &&
    a.plot.height === b.plot.height &&
    a.highlighted === b.highlighted,
)
