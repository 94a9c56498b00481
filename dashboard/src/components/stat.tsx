import { Paper, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export interface StatProps {
  label: string
  /** Undefined while loading. */
  value: ReactNode | undefined
  /** Under the value: how it compares, or what it is made of. */
  note?: ReactNode
  hint?: string
}

/** One figure that matters. */
export function Stat({ label, value, note, hint }: StatProps) {
  return (
    <Paper withBorder px="md" py="sm" bg="var(--surface-raised)" title={hint}>
      <Stack gap={3}>
        <Text size="xs" c="dimmed" fw={550}>
          {label}
        </Text>
        {value === undefined ? (
          <Skeleton height={28} width="60%" />
        ) : (
          <Text fz={22} fw={650} lh={1.25} className="figures" lts="-0.015em" component="div">
            {value}
          </Text>
        )}
        {note !== undefined && (
          <Text size="xs" c="dimmed" component="div" className="figures">
            {note}
          </Text>
        )}
      </Stack>
    </Paper>
  )
}
