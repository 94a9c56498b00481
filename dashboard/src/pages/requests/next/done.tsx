import { Text } from '@mantine/core'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './next.module.css'

/** What a step has changed. It takes the focus from the button that it replaces. */
export function Done({ children, isQuiet = false }: { children: ReactNode; isQuiet?: boolean }) {
  return (
    <Text
      size="sm"
      role="status"
      tabIndex={-1}
      className={classes['done'] ?? ''}
      ref={(element: HTMLElement | null) => {
        if (!isQuiet) element?.focus({ preventScroll: true })
      }}
    >
      <CircleCheck size={16} aria-hidden />
      <span>{children}</span>
    </Text>
  )
}
