import { Group, Paper, Skeleton, Stack, Text } from '@mantine/core'
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

/** How a figure moved since the period before. `better` says which way is good; neither for plain volume. */
export function Change({
  now,
  before,
  better = 'neither',
}: {
  now: number
  before: number
  better?: 'up' | 'down' | 'neither'
}) {
  if (before === 0) return <span>{now === 0 ? 'as before' : 'nothing before'}</span>
  const share = (now - before) / before
  if (Math.abs(share) < 0.0005) return <span>as before</span>
  const isUp = share > 0
  const color = better === 'neither' ? undefined : isUp === (better === 'up') ? 'var(--good)' : 'var(--bad)'
  const text = Math.abs(share) >= 10 ? `× ${(now / before).toFixed(0)}` : `${Math.abs(share * 100).toFixed(1)} %`
  return (
    <Group gap={4} wrap="nowrap" component="span">
      <Text component="span" size="xs" c={color ?? 'dimmed'} fw={600}>
        {isUp ? '▲' : '▼'} {text}
      </Text>
      <span>than before</span>
    </Group>
  )
}
