import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { FormError } from '../../components/form-error.tsx'
import { FormModal } from '../../components/forms/typed-guard.tsx'
import { tell } from '../../components/tell.ts'
import { WorkspaceFields } from './workspace-fields.tsx'
import { isWorkspaceWhole, settingsOf, WORKSPACE_FIELDS, workspaceForm } from './workspace-form.ts'

export function CreateWorkspace({ onClose }: { onClose: () => void }) {
  const create = useChange('workspaces.create')
  const [name, setName] = useState('')
  const [form, setForm] = useState(() => workspaceForm())
  const isReady = name.trim() !== '' && isWorkspaceWhole(form)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isReady) return
    const body = { name: name.trim(), ...settingsOf(form) }
    const onSuccess = () => {
      tell(`Workspace ${body.name} created`)
      onClose()
    }
    create.mutate({ body }, { onSuccess })
  }

  return (
    <FormModal opened onClose={onClose} title="Create a workspace" size="lg">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            description="Letters, digits, . _ -. It can’t be changed later."
            required
            data-autofocus
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={problemAt(create.error, 'name')}
          />
          <WorkspaceFields form={form} onChange={setForm} error={create.error} />
          <FormError error={create.error} fields={['name', ...WORKSPACE_FIELDS]} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending} disabled={!isReady}>
              Create the workspace
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  )
}
