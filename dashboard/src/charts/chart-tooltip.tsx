import { addExact, isZero } from '../format/exact.ts'
import classes from './chart.module.css'
import type { ChartContent } from './chart-series.ts'
import { spanText } from './time-axis.ts'
import { alignedTexts } from './units.ts'

/** The exact figures of one interval. */
export function ChartTooltip({ content, start }: { content: ChartContent; start: string }) {
  const { starts, series, unit, interval, layout = 'stacked' } = content
  const place = starts.indexOf(start)
  const figures = series.map((one) => ({ ...one, value: one.values[place] ?? '0' }))
  const shown = layout === 'stacked' ? figures.filter(({ value }) => !isZero(value)) : figures
  const hasTotal = layout === 'stacked' && shown.length > 1
  const values = shown.map(({ value }) => value)
  const texts = alignedTexts(hasTotal ? [...values, addExact(values)] : values, unit)
  return (
    <div className={classes['tooltip']}>
      <div className={classes['tooltipTitle']}>
        {spanText(start, interval)}
        {interval === 'day' && ' (UTC)'}
      </div>
      {shown.length === 0 && <div className={classes['quiet']}>No data</div>}
      {shown.map(({ id, name, color }, index) => (
        <div key={id} className={classes['tooltipRow']}>
          <span className={classes['swatch']} style={{ background: color }} />
          <span className={classes['name']}>{name}</span>
          <span className="figures">{texts[index]}</span>
        </div>
      ))}
      {hasTotal && (
        <div className={`${classes['tooltipRow']} ${classes['tooltipTotal']}`}>
          <span className={classes['name']}>Total</span>
          <span className="figures">{texts.at(-1)}</span>
        </div>
      )}
    </div>
  )
}
