import { useState } from 'react'
import { useLocation } from 'wouter'
import { Bars } from './bars.tsx'
import classes from './chart.module.css'
import { ChartLegend } from './chart-legend.tsx'
import type { ChartContent } from './chart-series.ts'
import { shortText } from './units.ts'

/**
 * Bars over time with their legend, which can show one series alone. Choosing a bar leads to what it is made of; the
 * table has the same as links.
 */
export function Chart(props: ChartContent) {
  const { label, series, unit } = props
  const [highlighted, setHighlighted] = useState<string | null>(null)
  const [chosenId, setChosenId] = useState<string | null>(null)
  const [, navigate] = useLocation()
  // Gone with the data that it was part of: then all are shown again.
  const chosen = series.find(({ id }) => id === chosenId)
  const shown = chosen === undefined ? series : [chosen]
  const hrefAt = chosen === undefined ? props.hrefAt : chosen.hrefIn
  const totals = shown.map(({ name, total }) => `${name} ${shortText(total, unit)}`).join(', ')
  return (
    <figure className={classes['figure']}>
      <div role="img" aria-label={`${label}: ${totals}`} className={hrefAt && classes['pickable']}>
        <Bars
          {...props}
          series={shown}
          highlighted={chosen === undefined ? highlighted : null}
          onPick={hrefAt && ((start) => navigate(hrefAt(start)))}
        />
      </div>
      <ChartLegend series={series} unit={unit} chosen={chosen} onChoose={setChosenId} onHighlight={setHighlighted} />
    </figure>
  )
}
