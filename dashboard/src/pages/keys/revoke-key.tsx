import { useChange } from '../../api/hooks.ts'
import { Confirm } from '../../components/confirm.tsx'
import { tell } from '../../components/tell.ts'
import { Time } from '../../components/time.tsx'
import type { Key } from './key-list.ts'

export function RevokeKey({ of: key, onClose }: { of: Key; onClose: () => void }) {
  const revoke = useChange('keys.revoke')
  function confirm() {
    const onSuccess = () => {
      tell(`${key.name} revoked`)
      onClose()
    }
    revoke.mutate({ params: { id: key.id } }, { onSuccess })
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Revoke ${key.name}?`}
      action="Revoke the key"
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={confirm}
    >
      {key.last_used_at === null ? (
        'It was never used. '
      ) : (
        <>
          It was last used{' '}
          <b>
            <Time at={key.last_used_at} relative />
          </b>
          .{' '}
        </>
      )}
      From the next call on it is refused with 401; calls that run now are answered. This cannot be undone.
    </Confirm>
  )
}
