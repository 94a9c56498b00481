import { Badge, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Item } from '../../api/client.ts'

type Alert = Item<'alerts.list'>

const COLORS = { info: 'blue', warning: 'yellow', critical: 'red' } as const

/** An alert in a line: severity or "resolved", then its text. */
export function AlertLine({ state, severity, children }: Pick<Alert, 'state' | 'severity'> & { children: ReactNode }) {
  const isOver = state === 'resolved'
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Badge color={isOver ? 'gray' : COLORS[severity]} w={84} style={{ flexShrink: 0 }}>
        {isOver ? 'resolved' : severity}
      </Badge>
      <Text size="sm" component="div" ta="left" style={{ minWidth: 0, whiteSpace: 'normal' }}>
        {children}
      </Text>
    </Group>
  )
}
