import classes from './chart.module.css'
import { sparklinePath } from './sparkline-path.ts'

const WIDTH = 120
const HEIGHT = 28

/** The course of one figure, without axes: beside the figure it belongs to. */
export function Sparkline({ values, color }: { values: readonly (number | null)[]; color: string }) {
  const { line, area } = sparklinePath(values, WIDTH, HEIGHT)
  return (
    <svg
      className={classes['sparkline']}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <path d={area} fill={color} fillOpacity={0.12} />
      <path d={line} fill="none" stroke={color} strokeWidth={1.5} vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
