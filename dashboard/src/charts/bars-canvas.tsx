import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { useMemo } from 'react'
import type { ChartContent } from './chart-series.ts'
import { ChartTooltip } from './chart-tooltip.tsx'
import { ticksOf, tickText } from './time-axis.ts'
import { axisText } from './units.ts'

export interface BarsCanvasProps extends ChartContent {
  /** The id of the series that is pointed at in the legend. */
  highlighted: string | null
  onPick?: ((start: string) => void) | undefined
}

/** The picture itself; its library is large and loads apart from the page. */
export function BarsCanvas(props: BarsCanvasProps) {
  const { starts, series, interval, unit, layout = 'stacked', height = 220, highlighted, onPick } = props
  const data = useMemo(() => drawable(props.starts, props.series), [props.starts, props.series])
  const ticks = useMemo(() => ticksOf(starts, interval), [starts, interval])
  return (
    <BarChart
      h={height}
      data={data}
      dataKey="start"
      type={layout === 'stacked' ? 'stacked' : 'default'}
      series={series.map(({ color }, index) => ({ name: nameOf(index), color }))}
      accessibilityLayer={false}
      gridColor="var(--line)"
      strokeDasharray="0"
      tickLine="none"
      maxBarWidth={44}
      minBarSize={0}
      valueFormatter={(value) => axisText(value, unit)}
      barChartProps={{
        barCategoryGap: starts.length > 80 ? '8%' : '18%',
        barGap: 1,
        margin: { top: 4, right: 4, bottom: 0, left: 0 },
        ...(onPick === undefined
          ? {}
          : { onClick: ({ activeLabel }) => typeof activeLabel === 'string' && onPick(activeLabel) }),
      }}
      xAxisProps={{
        ticks,
        tickFormatter: (start: string) => tickText(start, interval, starts.length),
        interval: 'equidistantPreserveStart',
        minTickGap: 16,
        height: 28,
      }}
      yAxisProps={{ width: unit === 'usd' ? 58 : 46, allowDecimals: unit === 'usd', tickCount: 5 }}
      barProps={({ name }) => ({
        fillOpacity: highlighted === null || series[indexOf(name)]?.id === highlighted ? 1 : 0.2,
        // A seam between what is stacked; bars of a pixel have no room for it.
        stroke: 'var(--surface-raised)',
        strokeOpacity: 1,
        strokeWidth: layout === 'stacked' && starts.length <= 80 ? 1 : 0,
      })}
      tooltipProps={{
        content: ({ label, active }) =>
          active && typeof label === 'string' ? <ChartTooltip content={props} start={label} /> : null,
        cursor: { fill: 'light-dark(rgb(0 0 0 / 4%), rgb(255 255 255 / 5%))' },
        wrapperStyle: { zIndex: 5 },
      }}
    />
  )
}

/** Not the groups' own names: those may hold dots, which the library takes for paths. */
function nameOf(index: number): string {
  return `series-${index}`
}

function indexOf(name: string): number {
  return Number(name.slice('series-'.length))
}

function drawable(starts: ChartContent['starts'], series: ChartContent['series']): Record<string, string | number>[] {
  return starts.map((start, place) => ({
    start,
    ...Object.fromEntries(series.map(({ values }, index) => [nameOf(index), Number(values[place] ?? 0)])),
  }))
}
