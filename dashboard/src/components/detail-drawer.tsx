import { Box, Drawer, Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

export interface DetailDrawerProps {
  isOpen: boolean
  onClose: () => void
  title: ReactNode
  /** Set while a dialog stands above it: Escape is then the dialog's. */
  isCovered?: boolean
  /** Something is being typed in it: a click beside it does not throw that away. */
  isForm?: boolean
  size?: number
  children: ReactNode
}

/** One thing of a list, in full, beside the list; the whole screen on a phone. */
export function DetailDrawer(props: DetailDrawerProps) {
  const { isOpen, onClose, title, isCovered = false, isForm = false, size = 620, children } = props
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      title={title}
      position="right"
      size={`min(100vw, ${size}px)`}
      padding="lg"
      closeOnEscape={!isCovered}
      closeOnClickOutside={!isForm}
      overlayProps={{ backgroundOpacity: 0.28 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
      styles={{
        content: { background: 'var(--surface-raised)' },
        header: { background: 'var(--surface-raised)', borderBottom: '1px solid var(--line)' },
        title: { minWidth: 0, flex: 1 },
        close: { alignSelf: 'flex-start' },
      }}
    >
      <Box pt="lg">{children}</Box>
    </Drawer>
  )
}

/** A part of a drawer, under a heading of its own. */
export function DrawerSection({
  title,
  actions,
  children,
}: {
  title: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <Stack component="section" gap="xs">
      <Group justify="space-between" gap="xs">
        <Title order={3} fz="sm" fw={650}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Stack>
  )
}
