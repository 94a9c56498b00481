import { Badge, Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import type { OperationName } from '../../../api/client.ts'
import { MayButton } from '../../../components/may-button.tsx'

interface RowActionsProps {
  name: string
  managedBy: 'config' | null
  change: OperationName
  remove: OperationName
  onChange: () => void
  onDelete: () => void
  children?: ReactNode
}

/** What may be done with a row, unless the configuration file has it. */
export function RowActions({ name, managedBy, change, remove, onChange, onDelete, children }: RowActionsProps) {
  const small = { variant: 'default', size: 'compact-xs' } as const
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {children}
      {managedBy === 'config' ? (
        <Badge color="gray" title="Set in switchyard.yaml; change it there">
          file
        </Badge>
      ) : (
        <>
          <MayButton to={change} {...small} onClick={onChange} aria-label={`Change ${name}`}>
            Change
          </MayButton>
          <MayButton to={remove} {...small} c="var(--bad)" onClick={onDelete} aria-label={`Delete ${name}`}>
            Delete
          </MayButton>
        </>
      )}
    </Group>
  )
}

/** The same as a plain button, for what every reader may open. */
export function SmallButton({ label, onClick, children }: { label: string; onClick: () => void; children: string }) {
  return (
    <Button variant="default" size="compact-xs" onClick={onClick} aria-label={label}>
      {children}
    </Button>
  )
}
