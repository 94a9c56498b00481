import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { type Access, AccessFields, accessWords } from '../../components/access-fields.tsx'
import { ExpiryField } from '../../components/expiry-field.tsx'
import { FormError } from '../../components/form-error.tsx'
import { FormModal } from '../../components/forms/typed-guard.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import { momentOf } from '../../format/local-input.ts'

type Created = Reply<'admin-keys.create'>

export function CreateAdminKey({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<Created | null>(null)
  const isShowing = created !== null
  return (
    <FormModal
      opened
      isForm={!isShowing}
      onClose={onClose}
      title={isShowing ? `The admin key ${created.name}` : 'Create an admin key'}
      size="lg"
      // A slip of the hand must not lose the value.
      closeOnClickOutside={!isShowing}
      closeOnEscape={!isShowing}
      withCloseButton={!isShowing}
    >
      {isShowing ? (
        <SecretOnce value={created.value} label={`The admin key ${created.name}`} onDone={onClose}>
          <Text size="sm">
            It grants {accessWords(created)}. Use it to sign in, as <span className="mono">ADMIN_KEY</span> on the
            command line, or as a bearer token for the management API.
          </Text>
        </SecretOnce>
      ) : (
        <NewAdminKey onCreated={setCreated} onClose={onClose} />
      )}
    </FormModal>
  )
}

function NewAdminKey({ onCreated, onClose }: { onCreated: (key: Created) => void; onClose: () => void }) {
  const create = useChange('admin-keys.create')
  const [name, setName] = useState('')
  const [access, setAccess] = useState<Access>({ role: 'viewer', workspaces: [] })
  const [expires, setExpires] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    const { role, workspaces } = access
    const body = {
      name: name.trim(),
      role,
      workspaces: workspaces.length === 0 ? null : workspaces,
      expires_at: momentOf(expires),
    }
    if (body.name !== '') create.mutate({ body }, { onSuccess: onCreated })
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="The person or program that uses it, for example ana or ci-deploy"
          required
          data-autofocus
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemAt(create.error, 'name')}
        />
        <AccessFields value={access} onChange={setAccess} error={problemAt(create.error, 'workspaces')} />
        <ExpiryField value={expires} onChange={setExpires} error={problemAt(create.error, 'expires_at')} />
        <FormError error={create.error} fields={['name', 'workspaces', 'expires_at']} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
            Create the admin key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
