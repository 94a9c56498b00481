import { Text } from '@mantine/core'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { FormModal } from '../../components/forms/typed-guard.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import { tell } from '../../components/tell.ts'
import { ChannelForm } from './channel-form.tsx'
import type { NewChannel } from './channel-kinds.ts'

export function CreateChannel({ onClose }: { onClose: () => void }) {
  const create = useChange('alert-channels.create')
  const [secret, setSecret] = useState<string | null>(null)
  const isShowing = secret !== null
  function created({ name, signing_secret: made }: Reply<'alert-channels.create'>) {
    if (made === null) {
      tell(`Alerts go to ${name}`)
      onClose()
    } else setSecret(made)
  }
  return (
    <FormModal
      opened
      isForm={!isShowing}
      onClose={onClose}
      title={isShowing ? 'The signing secret' : 'Add a channel'}
      size="lg"
      // A slip of the hand must not lose the value.
      closeOnClickOutside={!isShowing}
      closeOnEscape={!isShowing}
      withCloseButton={!isShowing}
    >
      {isShowing ? (
        <SecretOnce value={secret} label="The signing secret" kept="The gateway keeps it encrypted" onDone={onClose}>
          <Text size="sm">
            The receiver verifies with it that a message is from here. Open alerts are sent there now, new ones as they
            come.
          </Text>
        </SecretOnce>
      ) : (
        <ChannelForm
          action="Add the channel"
          error={create.error}
          isBusy={create.isPending}
          onSubmit={(body: NewChannel) => create.mutate({ body }, { onSuccess: created })}
          onClose={onClose}
        />
      )}
    </FormModal>
  )
}
