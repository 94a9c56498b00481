import { ActionIcon } from '@mantine/core'
import { Trash2 } from 'lucide-react'

export interface RemoveButtonProps {
  /** What is removed, for those who do not see the row. */
  label: string
  onClick: () => void
}

/** At the end of a row of a form. */
export function RemoveButton({ label, onClick }: RemoveButtonProps) {
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} onClick={onClick}>
      <Trash2 size={15} aria-hidden />
    </ActionIcon>
  )
}
