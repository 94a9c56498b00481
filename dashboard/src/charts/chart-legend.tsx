import { Link } from 'wouter'
import classes from './chart.module.css'
import type { ChartSeries } from './chart-series.ts'
import { exactText, shortText, type Unit } from './units.ts'

export interface ChartLegendProps {
  series: readonly ChartSeries[]
  unit: Unit
  onHighlight: (id: string | null) => void
}

/** Which colour is what, and how much of it there is; each leads to where one finds out more. */
export function ChartLegend({ series, unit, onHighlight }: ChartLegendProps) {
  return (
    <ul className={classes['legend']} onMouseLeave={() => onHighlight(null)}>
      {series.map((one) => (
        <li key={one.id} onMouseEnter={() => onHighlight(one.id)}>
          {one.href === undefined ? (
            <span className={classes['legendItem']}>
              <Entry series={one} unit={unit} />
            </span>
          ) : (
            <Link
              href={one.href}
              className={`${classes['legendItem']} ${classes['legendLink']}`}
              onFocus={() => onHighlight(one.id)}
              onBlur={() => onHighlight(null)}
            >
              <Entry series={one} unit={unit} />
            </Link>
          )}
        </li>
      ))}
    </ul>
  )
}

function Entry({ series: { name, color, total }, unit }: { series: ChartSeries; unit: Unit }) {
  return (
    <>
      <span className={classes['swatch']} style={{ background: color }} aria-hidden />
      <span className={classes['name']} title={name}>
        {name}
      </span>
      <span className={`figures ${classes['quiet']}`} title={exactText(total, unit)}>
        {shortText(total, unit)}
      </span>
    </>
  )
}
