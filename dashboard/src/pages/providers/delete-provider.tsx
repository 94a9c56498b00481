import { useChange, useOperation } from '../../api/hooks.ts'
import { Confirm } from '../../components/confirm.tsx'
import { tell } from '../../components/tell.ts'

export interface DeleteProviderProps {
  name: string
  etag: string | null
  isOpen: boolean
  onClose: () => void
  onDeleted: () => void
}

export function DeleteProvider({ name, etag, isOpen, onClose, onDeleted }: DeleteProviderProps) {
  const remove = useChange('providers.delete')
  const routes = useOperation('providers.routes', { params: { name } }, { enabled: isOpen })
  const used = routes.data?.data.length ?? 0
  return (
    <Confirm
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete ${name}?`}
      action="Delete the provider"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(
          { params: { name }, ifMatch: etag },
          {
            onSuccess: () => {
              tell(`${name} is deleted.`)
              onDeleted()
            },
          },
        )
      }
    >
      {used > 0
        ? `${used === 1 ? 'One route names' : `${used} routes name`} it: the gateway will refuse until it is out of their chains.`
        : 'Its key is forgotten. Its requests in the log and the prices of its models stay.'}
    </Confirm>
  )
}
