import { Button } from '@mantine/core'
import { Plus } from 'lucide-react'

/** Below a list that grows: one more row. */
export function AddButton({ children, onClick }: { children: string; onClick: () => void }) {
  return (
    <Button variant="default" size="xs" w="fit-content" leftSection={<Plus size={14} aria-hidden />} onClick={onClick}>
      {children}
    </Button>
  )
}
