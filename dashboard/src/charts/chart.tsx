import { Skeleton } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import classes from './chart.module.css'
import { ChartLegend } from './chart-legend.tsx'
import type { ChartContent } from './chart-series.ts'
import { shortText } from './units.ts'

const BarsCanvas = lazy(async () => ({ default: (await import('./bars-canvas.tsx')).BarsCanvas }))

/** Bars over time with their legend. Choosing a bar leads to what it is made of; the table has the same as links. */
export function Chart(props: ChartContent) {
  const { label, series, unit, height = 220, hrefAt } = props
  const [highlighted, setHighlighted] = useState<string | null>(null)
  const [, navigate] = useLocation()
  const told = series.map(({ name, total }) => `${name} ${shortText(total, unit)}`).join(', ')
  return (
    <figure className={classes['figure']}>
      <div role="img" aria-label={`${label}: ${told}`} className={hrefAt && classes['pickable']}>
        <Suspense fallback={<Skeleton height={height} />}>
          <BarsCanvas {...props} highlighted={highlighted} onPick={hrefAt && ((start) => navigate(hrefAt(start)))} />
        </Suspense>
      </div>
      <ChartLegend series={series} unit={unit} onHighlight={setHighlighted} />
    </figure>
  )
}
