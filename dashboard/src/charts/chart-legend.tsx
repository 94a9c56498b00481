import { Link } from 'wouter'
import classes from './chart.module.css'
import type { ChartSeries } from './chart-series.ts'
import { exactText, shortText, type Unit } from './units.ts'

export interface ChartLegendProps {
  series: readonly ChartSeries[]
  unit: Unit
  /** The one that is shown alone. */
  chosen: ChartSeries | undefined
  onChoose: (id: string | null) => void
  onHighlight: (id: string | null) => void
}

/** Which colour is what, and how much of it there is. Choosing one shows it alone, choosing it again all of them. */
export function ChartLegend({ series, unit, chosen, onChoose, onHighlight }: ChartLegendProps) {
  return (
    <ul className={classes['legend']} onMouseLeave={() => onHighlight(null)}>
      {series.map((one) => (
        <li key={one.id} onMouseEnter={() => onHighlight(one.id)}>
          <button
            type="button"
            className={classes['legendItem']}
            aria-pressed={one === chosen}
            data-is-off={(chosen !== undefined && one !== chosen) || undefined}
            onClick={() => onChoose(one === chosen ? null : one.id)}
            onFocus={() => onHighlight(one.id)}
            onBlur={() => onHighlight(null)}
          >
            <Entry series={one} unit={unit} />
          </button>
        </li>
      ))}
      {chosen?.hrefIn !== undefined && (
        <li>
          <Link href={chosen.hrefIn()} className={classes['legendLink']}>
            Requests
          </Link>
        </li>
      )}
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
