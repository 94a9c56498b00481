import { useChange } from '../../api/hooks.ts'
import { Confirm } from '../../components/confirm.tsx'
import { tell } from '../../components/tell.ts'

export interface DeleteProviderProps {
  name: string
  etag: string | null
  isOpen: boolean
  onClose: () => void
  /** While it is being deleted it must not be queried. */
  onGoing: (isGoing: boolean) => void
  onDeleted: () => void
}

export function DeleteProvider({ name, etag, isOpen, onClose, onGoing, onDeleted }: DeleteProviderProps) {
  const remove = useChange('providers.delete')

  function confirm() {
    onGoing(true)
    void remove.mutateAsync({ params: { name }, ifMatch: etag }).then(
      () => {
        tell(`${name} is deleted.`)
        onDeleted()
      },
      // The dialog shows why not.
      () => onGoing(false),
    )
  }

  return (
    <Confirm
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete ${name}?`}
      action="Delete the provider"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
    >
      Its key is deleted. Its requests and model prices are kept.
    </Confirm>
  )
}
