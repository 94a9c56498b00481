import { Box, Group, Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

export interface PanelProps {
  title?: ReactNode
  description?: ReactNode
  actions?: ReactNode
  /** For tables, which bring their own edges. */
  flush?: boolean
  children: ReactNode
}

/** A separate part of a page. */
export function Panel({ title, description, actions, flush = false, children }: PanelProps) {
  return (
    <Paper component="section" withBorder bg="var(--surface-raised)" style={{ overflow: 'hidden', minWidth: 0 }}>
      {(title !== undefined || actions !== undefined) && (
        <Group justify="space-between" align="center" px="md" pt="sm" pb={flush ? 'sm' : 0} gap="xs">
          <Box>
            {title !== undefined && <Title order={2}>{title}</Title>}
            {description !== undefined && (
              <Text size="xs" c="dimmed" component="div">
                {description}
              </Text>
            )}
          </Box>
          {actions}
        </Group>
      )}
      <Box p={flush ? 0 : 'md'}>{children}</Box>
    </Paper>
  )
}
