import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { FormError } from '../../components/form-error.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'

type Template = Reply<'my-keys.templates'>['data'][number]

/** First name and template, then the value, once. */
export function CreateMyKey({ templates, onClose }: { templates: Template[]; onClose: () => void }) {
  const create = useChange('my-keys.create')
  const [created, setCreated] = useState<Reply<'my-keys.create'> | null>(null)
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState(templates[0]?.name ?? '')
  const template = templates.find((each) => each.name === chosen)
  const isShowing = created !== null

  function submit(event: FormEvent) {
    event.preventDefault()
    create.mutate({ body: { name: name.trim(), template: chosen } }, { onSuccess: setCreated })
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={isShowing ? `The key ${created.name}` : 'Create a key'}
      size={700}
      closeOnClickOutside={!isShowing}
      closeOnEscape={!isShowing}
      withCloseButton={!isShowing}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {isShowing ? (
        <SecretOnce value={created.value} label={`The key ${created.name}`} onDone={onClose}>
          <Text size="sm">
            <b>{created.name}</b> is ready to use in the workspace <b>{created.workspace}</b>.
          </Text>
        </SecretOnce>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label="Name"
              description="Letters, digits, . _ -"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              required
              data-autofocus
            />
            <Select
              label="Template"
              description={template === undefined ? undefined : wordsOf(template)}
              data={templates.map((each) => each.name)}
              value={chosen}
              allowDeselect={false}
              onChange={(value) => setChosen(value ?? '')}
            />
            <FormError error={create.error} fields={[]} />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isPending} disabled={name.trim() === '' || chosen === ''}>
                Create key
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}

function wordsOf({ description, workspace, max_keys, max_days }: Template): string {
  const ends = max_days === null ? 'never expires' : `expires after ${max_days} days`
  return `${description === null ? '' : `${description}. `}Workspace ${workspace}, at most ${max_keys}, ${ends}`
}
