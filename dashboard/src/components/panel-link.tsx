import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

/** Quietly leads from a panel to the page that knows more. `label` says where to, when the words alone do not. */
export function PanelLink({ href, label, children }: { href: string; label?: string; children: ReactNode }) {
  return (
    <Button
      component={Link}
      href={href}
      variant="subtle"
      color="gray"
      size="compact-xs"
      fw={500}
      c="dimmed"
      aria-label={label}
    >
      {children}
    </Button>
  )
}
