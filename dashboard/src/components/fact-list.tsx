import type { ReactNode } from 'react'
import classes from './fact-list.module.css'

/** Names at the left, values at the right: `dt` and `dd`, each pair a fact. */
export function FactList({ children }: { children: ReactNode }) {
  return <dl className={classes['list']}>{children}</dl>
}
