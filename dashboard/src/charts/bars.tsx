import { useElementSize } from '@mantine/hooks'
import { type MouseEvent, type PointerEvent, useMemo, useState } from 'react'
import { BarsDrawing, FOOT, gutterOf } from './bars-drawing.tsx'
import { placeAt, scaleTicks } from './bars-geometry.ts'
import classes from './chart.module.css'
import type { ChartContent } from './chart-series.ts'
import { ChartTooltip } from './chart-tooltip.tsx'

export interface BarsProps extends ChartContent {
  /** The id of the series that is pointed at in the legend. */
  highlighted: string | null
  onPick?: ((start: string) => void) | undefined
}

/**
 * Bars over time, drawn by hand: a library for it would be a third of all that the dashboard loads, and slower with
 * hundreds of bars that are drawn again every few seconds.
 */
export function Bars(props: BarsProps) {
  const { starts, series, unit, layout = 'stacked', height = 220, highlighted, onPick } = props
  const { ref, width } = useElementSize()
  const [pointed, setPointed] = useState<number | null>(null)
  const values = useMemo(() => series.map((one) => one.values.map(Number)), [series])
  const ticks = useMemo(() => {
    const sums = starts.map((_, place) => values.map((each) => each[place] ?? 0))
    const largest = sums.map((each) => (layout === 'stacked' ? each.reduce((a, b) => a + b, 0) : Math.max(...each, 0)))
    return scaleTicks(Math.max(...largest, 0), unit !== 'usd')
  }, [starts, values, layout, unit])
  const gutter = gutterOf(ticks, unit)
  const plot = { width: width - gutter, height: height - FOOT, count: starts.length, top: ticks.at(-1) ?? 1 }
  const placeOf = (event: MouseEvent) =>
    placeAt(event.clientX - event.currentTarget.getBoundingClientRect().left - gutter, plot)
  function pick(event: PointerEvent | MouseEvent) {
    // A finger that points wants to see; it has the table for going on.
    const isFinger = 'pointerType' in event.nativeEvent && event.nativeEvent.pointerType === 'touch'
    const start = starts[placeOf(event) ?? -1]
    if (!isFinger && start !== undefined) onPick?.(start)
  }
  const start = pointed === null ? undefined : starts[pointed]
  const isLeft = pointed !== null && pointed < starts.length / 2
  const edge = gutter + (((pointed ?? 0) + (isLeft ? 1 : 0)) * plot.width) / starts.length
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a picture; the table has the same figures and links.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the table has the same links.
    <div
      ref={ref}
      className={classes['canvas']}
      style={{ height }}
      onPointerMove={(event) => setPointed(placeOf(event))}
      onPointerLeave={() => setPointed(null)}
      onClick={pick}
    >
      {width > gutter && (
        <BarsDrawing {...{ content: props, plot, gutter, ticks, values, highlighted, pointed, layout }} />
      )}
      {start !== undefined && (
        <div className={classes['pointed']} style={isLeft ? { left: edge + 8 } : { right: width - edge + 8 }}>
          <ChartTooltip content={props} start={start} />
        </div>
      )}
    </div>
  )
}
