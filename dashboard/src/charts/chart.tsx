import { useState } from 'react'
import { useLocation } from 'wouter'
import { Bars } from './bars.tsx'
import classes from './chart.module.css'
import { ChartLegend } from './chart-legend.tsx'
import type { ChartContent } from './chart-series.ts'
import { shortText } from './units.ts'

/** Bars over time with their legend. Choosing a bar leads to what it is made of; the table has the same as links. */
export function Chart(props: ChartContent) {
  const { label, series, unit, hrefAt } = props
  const [highlighted, setHighlighted] = useState<string | null>(null)
  const [, navigate] = useLocation()
  const told = series.map(({ name, total }) => `${name} ${shortText(total, unit)}`).join(', ')
  return (
    <figure className={classes['figure']}>
      <div role="img" aria-label={`${label}: ${told}`} className={hrefAt && classes['pickable']}>
        <Bars {...props} highlighted={highlighted} onPick={hrefAt && ((start) => navigate(hrefAt(start)))} />
      </div>
      <ChartLegend series={series} unit={unit} onHighlight={setHighlighted} />
    </figure>
  )
}
