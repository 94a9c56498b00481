import type { useChange } from '../../../api/hooks.ts'
import { Confirm } from '../../../components/confirm.tsx'

export interface DeleteContentProps {
  id: string
  /** How it goes; the section beside the request follows it, too. */
  remove: ReturnType<typeof useChange<'requests.delete-content'>>
  onClose: () => void
}

export function DeleteContent({ id, remove, onClose }: DeleteContentProps) {
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title="Delete stored content?"
      action="Delete content"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { id } }, { onSuccess: onClose })}
    >
      Deletes the stored request and answer for everyone. The log entry and its cost stay. This cannot be undone.
    </Confirm>
  )
}
