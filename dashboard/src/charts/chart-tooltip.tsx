import { addExact, isZero } from '../format/exact.ts'
import classes from './chart.module.css'
import type { ChartContent } from './chart-series.ts'
import { spanText } from './time-axis.ts'
import { exactText } from './units.ts'

/** The exact figures of one interval. */
export function ChartTooltip({ content, start }: { content: ChartContent; start: string }) {
  const { starts, series, unit, interval, layout = 'stacked' } = content
  const place = starts.indexOf(start)
  const figures = series.map((one) => ({ ...one, value: one.values[place] ?? '0' }))
  const shown = layout === 'stacked' ? figures.filter(({ value }) => !isZero(value)) : figures
  return (
    <div className={classes['tooltip']}>
      <div className={classes['tooltipTitle']}>
        {spanText(start, interval)}
        {interval === 'day' && ' (UTC)'}
      </div>
      {shown.length === 0 && <div className={classes['quiet']}>Nothing</div>}
      {shown.map(({ id, name, color, value }) => (
        <div key={id} className={classes['tooltipRow']}>
          <span className={classes['swatch']} style={{ background: color }} />
          <span className={classes['name']}>{name}</span>
          <span className="figures">{exactText(value, unit)}</span>
        </div>
      ))}
      {layout === 'stacked' && shown.length > 1 && (
        <div className={`${classes['tooltipRow']} ${classes['tooltipTotal']}`}>
          <span className={classes['name']}>Together</span>
          <span className="figures">{exactText(addExact(figures.map(({ value }) => value)), unit)}</span>
        </div>
      )}
    </div>
  )
}
