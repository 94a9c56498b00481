import { useChange } from '../../api/hooks.ts'
import { FormModal } from '../../components/forms/typed-guard.tsx'
import { tell } from '../../components/tell.ts'
import { ChannelForm } from './channel-form.tsx'
import type { Channel, NewChannel } from './channel-kinds.ts'

/** Changes where a channel sends to, and what. A secret that is not typed again stays. */
export function EditChannel({ of: channel, onClose }: { of: Channel; onClose: () => void }) {
  const update = useChange('alert-channels.update')
  function save({ kind: _kind, ...body }: NewChannel) {
    const onSuccess = () => {
      tell(`The channel ${body.name} is saved`)
      onClose()
    }
    update.mutate({ params: { id: channel.id }, body }, { onSuccess })
  }
  return (
    <FormModal opened onClose={onClose} title={`Edit the channel ${channel.name}`} size="lg">
      <ChannelForm
        of={channel}
        action="Save"
        error={update.error}
        isBusy={update.isPending}
        onSubmit={save}
        onClose={onClose}
      />
    </FormModal>
  )
}
