import { Button, Group, Modal, PasswordInput, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { FormError } from '../../components/form-error.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import { tell } from '../../components/tell.ts'
import {
  channelBody,
  FIELDS,
  type FieldName,
  KIND_TITLES,
  type LeastSeverity,
  type NewChannel,
  SEVERITY_TITLES,
} from './channel-kinds.ts'

type Created = Reply<'alert-channels.create'>

export function CreateChannel({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null)
  const isShowing = secret !== null
  function created({ name, signing_secret: made }: Created) {
    if (made === null) {
      tell(`Alerts go to ${name}`)
      onClose()
    } else setSecret(made)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={isShowing ? 'The signing secret' : 'Add a channel'}
      size="lg"
      // A slip of the hand must not lose the value.
      closeOnClickOutside={!isShowing}
      closeOnEscape={!isShowing}
      withCloseButton={!isShowing}
    >
      {isShowing ? (
        <SecretOnce value={secret} label="The signing secret" onDone={onClose}>
          <Text size="sm">The receiver verifies with it that a message is from here. Alerts are sent from now on.</Text>
        </SecretOnce>
      ) : (
        <NewChannelForm onCreated={created} onClose={onClose} />
      )}
    </Modal>
  )
}

function NewChannelForm({ onCreated, onClose }: { onCreated: (channel: Created) => void; onClose: () => void }) {
  const create = useChange('alert-channels.create')
  const [kind, setKind] = useState<NewChannel['kind']>('webhook')
  const [name, setName] = useState('')
  const [typed, setTyped] = useState<Partial<Record<FieldName, string>>>({})
  const [severity, setSeverity] = useState<LeastSeverity>('info')
  const fields = FIELDS[kind]
  const isWhole = name.trim() !== '' && fields.every((field) => !field.isRequired || (typed[field.name] ?? '') !== '')

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isWhole)
      create.mutate({ body: { ...channelBody(kind, name, typed), min_severity: severity } }, { onSuccess: onCreated })
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <SegmentedControl
          aria-label="Kind"
          value={kind}
          onChange={(value) => setKind(value as NewChannel['kind'])}
          data={Object.entries(KIND_TITLES).map(([value, label]) => ({ value, label }))}
        />
        <TextInput
          label="Name"
          required
          data-autofocus
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemAt(create.error, 'name')}
        />
        {fields.map(({ name: field, label, description, isRequired = false, isSecret = false }) => {
          const Text = isSecret ? PasswordInput : TextInput
          return (
            <Text
              key={field}
              label={label}
              description={description}
              required={isRequired}
              autoComplete="off"
              value={typed[field] ?? ''}
              onChange={(event) => setTyped({ ...typed, [field]: event.currentTarget.value })}
              error={problemAt(create.error, field)}
            />
          )
        })}
        <Select
          label="Gets"
          allowDeselect={false}
          value={severity}
          onChange={(value) => setSeverity(value ?? 'info')}
          data={Object.entries(SEVERITY_TITLES).map(([value, label]) => ({ value: value as LeastSeverity, label }))}
        />
        <FormError error={create.error} fields={['name', ...fields.map((field) => field.name)]} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={!isWhole}>
            Add the channel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
