import { priceText } from '../../format/money.ts'
import type { PriceMove } from './price-change.ts'
import classes from './registry.module.css'

/** A price that moved: what it was, what it is, and which way it went. */
export function MoveLine({ move: { name, before, after, direction, percent } }: { move: PriceMove }) {
  const isFirst = before === null
  return (
    <div className={classes['move']}>
      <span className={classes['dim']}>{name}</span>
      <span className={`${classes['number']} ${classes['dim']}`}>{isFirst ? '' : priceText(before)}</span>
      <span className={classes['dim']} aria-hidden>
        {isFirst ? '' : '→'}
      </span>
      <span className={classes['number']}>{after === null ? 'unknown' : priceText(after)}</span>
      <Direction direction={direction} percent={percent} />
    </div>
  )
}

/** Dearer is red, cheaper is green; said in a sign as well. */
export function Direction({ direction, percent }: Pick<PriceMove, 'direction' | 'percent'>) {
  if (direction !== 'up' && direction !== 'down') return <span />
  return (
    <span className={classes[direction]} title={direction === 'up' ? 'dearer' : 'cheaper'}>
      {direction === 'up' ? '▲' : '▼'} {percent}
    </span>
  )
}
