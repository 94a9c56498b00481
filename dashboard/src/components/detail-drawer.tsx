import { Box, Drawer, Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTypedGuard } from './forms/typed-guard.tsx'

export interface DetailDrawerProps {
  isOpen: boolean
  onClose: () => void
  title: ReactNode
  /** Set while a dialog stands above it: Escape is then the dialog's. */
  isCovered?: boolean
  /** It has a form: what was typed is not thrown away without asking. */
  isForm?: boolean
  size?: number
  children: ReactNode
}

/** One thing of a list, in full, beside the list; the whole screen on a phone. */
export function DetailDrawer(props: DetailDrawerProps) {
  const { isOpen, onClose, title, isCovered = false, isForm = false, size = 620, children } = props
  const guard = useTypedGuard(isForm && isOpen, onClose)
  return (
    <>
      <Drawer
        opened={isOpen}
        onClose={guard.close}
        title={title}
        position="right"
        size={`min(100vw, ${size}px)`}
        padding="lg"
        closeOnEscape={!isCovered && !guard.isAsking}
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
        <Box pt="lg">{guard.watched(children)}</Box>
      </Drawer>
      {guard.question}
    </>
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
