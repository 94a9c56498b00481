import type { ReactNode } from 'react'
import classes from './request-detail.module.css'

export interface Fact {
  name: string
  value: ReactNode
  /** Part of the line above. */
  isPart?: boolean
}

/** Names and values, one pair a line. */
export function Facts({ facts }: { facts: readonly (Fact | null)[] }) {
  return (
    <dl className={classes['facts']}>
      {facts.map(
        (fact) =>
          fact !== null && (
            <div key={fact.name} data-part={fact.isPart || undefined}>
              <dt>{fact.name}</dt>
              <dd>{fact.value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
