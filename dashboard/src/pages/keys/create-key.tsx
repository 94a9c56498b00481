import { Button, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useAll, useChange } from '../../api/hooks.ts'
import { FormError } from '../../components/form-error.tsx'
import { FormModal } from '../../components/forms/typed-guard.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import { useWorkspace } from '../../shell/place.ts'
import { ConnectTabs } from './connect-tabs.tsx'
import { firstModel } from './first-call.ts'
import { KEY_FIELDS, KeyFields } from './key-fields.tsx'
import { isReady, keyForm, newKey } from './key-form.ts'

/** First the settings, then the value, once. What was shown is forgotten when it closes. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<Reply<'keys.create'> | null>(null)
  const isShowing = created !== null
  return (
    <FormModal
      opened
      isForm={!isShowing}
      onClose={onClose}
      title={isShowing ? `The key ${created.name}` : 'Create a key'}
      size={700}
      // A slip of the hand must not lose the value.
      closeOnClickOutside={!isShowing}
      closeOnEscape={!isShowing}
      withCloseButton={!isShowing}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {isShowing ? (
        <CreatedKey created={created} onDone={onClose} />
      ) : (
        <NewKeyForm onCreated={setCreated} onClose={onClose} />
      )}
    </FormModal>
  )
}

function NewKeyForm(props: { onCreated: (key: Reply<'keys.create'>) => void; onClose: () => void }) {
  const workspace = useWorkspace()
  const create = useChange('keys.create')
  const [form, setForm] = useState(keyForm(null))

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isReady(form)) create.mutate({ query: { workspace }, body: newKey(form) }, { onSuccess: props.onCreated })
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <KeyFields form={form} onChange={setForm} error={create.error} isNew />
        <FormError error={create.error} fields={KEY_FIELDS} />
        <Group justify="flex-end" className="sticky-actions">
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={!isReady(form)}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function CreatedKey({ created, onDone }: { created: Reply<'keys.create'>; onDone: () => void }) {
  const catalog = useAll('catalog.list', { query: { workspace: created.workspace } })
  const model = firstModel(created.allowed_models, catalog.data ?? [])
  return (
    <SecretOnce
      value={created.value}
      label={`The key ${created.name}`}
      examples={<ConnectTabs value={created.value} model={model} workspace={created.workspace} />}
      onDone={onDone}
    >
      <Text size="sm">
        <b>{created.name}</b> is ready to use in the workspace <b>{created.workspace}</b>.
      </Text>
    </SecretOnce>
  )
}
