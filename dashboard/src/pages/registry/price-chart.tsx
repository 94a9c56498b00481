import { drawableUsd, priceText } from '../../format/money.ts'
import { localDay } from '../../format/time.ts'
import { SERIES } from '../../theme.ts'
import type { PriceVersion } from './price-change.ts'
import { stepPath } from './price-steps.ts'
import classes from './registry.module.css'

const LINES = [
  { field: 'output_per_mtok', name: 'Output', color: SERIES[0] },
  { field: 'input_per_mtok', name: 'Input', color: SERIES[1] },
] as const

/** How input and output price moved, as steps. The list below says the same in figures. */
export function PriceChart({ versions }: { versions: readonly PriceVersion[] }) {
  const oldestFirst = [...versions].reverse()
  const first = oldestFirst[0]
  const last = versions[0]
  if (first === undefined || last === undefined || versions.length < 2) return null
  const from = Date.parse(first.created_at)
  const drawable = (price: string | null) => (price === null ? null : drawableUsd(price))
  const lines = LINES.map((line) => ({
    ...line,
    points: oldestFirst.map((version) => ({
      at: Date.parse(version.created_at),
      price: drawable(version[line.field]),
    })),
  }))
  const top = Math.max(...lines.flatMap(({ points }) => points.map(({ price }) => price ?? 0)))
  return (
    <figure style={{ margin: 0 }}>
      <svg
        className={classes['chart']}
        viewBox="0 0 1000 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Prices since ${localDay(first.created_at)}`}
      >
        {lines.map(({ name, color, points }) => (
          <path key={name} d={stepPath(points, from, Date.now(), top)} stroke={color} />
        ))}
      </svg>
      <figcaption className={classes['legend']}>
        <span>{localDay(first.created_at)}</span>
        {LINES.map(({ name, field, color }) => (
          <span key={name} className="figures">
            <i className={classes['swatch']} style={{ background: color }} />
            {name} {priceText(first[field])} → {priceText(last[field])}
          </span>
        ))}
        <span>now</span>
      </figcaption>
    </figure>
  )
}
