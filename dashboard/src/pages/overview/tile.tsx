import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Sparkline } from '../../charts/sparkline.tsx'
import type { Comparison } from '../../format/comparison.ts'
import classes from './overview.module.css'

export interface TileProps {
  label: string
  /** What the two figures of a tile are: "p50/p95". */
  unit?: string | undefined
  /** Where one finds out more. */
  href: string
  /** Undefined while loading. */
  value: ReactNode | undefined
  /** Against the period before; one for each figure of the value. */
  comparisons: readonly (Comparison | null)[]
  /** What the value leaves out. */
  warning?: string | undefined
  /** What is beside it. */
  note?: ReactNode | undefined
  course: readonly (number | null)[]
  tone?: 'plain' | 'bad'
}

/** One figure that matters, how it compares and its course; the whole tile leads on. */
export function Tile({ label, unit, href, value, comparisons, warning, note, course, tone = 'plain' }: TileProps) {
  const known = comparisons.filter((comparison) => comparison !== null)
  return (
    <Link href={href} className={classes['tile']}>
      <span className={classes['tileLabel']}>
        {label}
        {unit !== undefined && <span className={classes['unit']}> {unit}</span>}
      </span>
      {value === undefined ? <Skeleton height={27} width="60%" /> : <span className={classes['value']}>{value}</span>}
      <span className={classes['compared']}>
        {warning !== undefined && <span data-tone="warn">{warning} </span>}
        {note !== undefined && <span>{note}</span>}
        {note !== undefined && known.length > 0 && ' · '}
        {known.map(({ text, tone: kind }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one for each figure of the value, in their order.
          <span key={index} data-tone={kind}>
            {index > 0 && ' / '}
            {text}
          </span>
        ))}
      </span>
      <Sparkline values={course} color={tone === 'bad' ? 'var(--bad)' : 'var(--series-1)'} />
    </Link>
  )
}
