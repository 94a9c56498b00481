import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { FormError } from '../../components/form-error.tsx'
import { LIMIT_FIELDS } from '../../components/limits/limits-fields.tsx'
import { limitsForm, limitsOf, limitsProblems } from '../../components/limits/limits-form.ts'
import { tell } from '../../components/tell.ts'
import { contentForm, contentOf } from './content-form.ts'
import { WorkspaceFields, type WorkspaceForm } from './workspace-fields.tsx'

export function CreateWorkspace({ onClose }: { onClose: () => void }) {
  const create = useChange('workspaces.create')
  const [name, setName] = useState('')
  const [form, setForm] = useState<WorkspaceForm>({
    ...{ description: '', limits: limitsForm(null), streaming: null, content: contentForm(null) },
  })
  const isReady = name.trim() !== '' && Object.keys(limitsProblems(form.limits)).length === 0

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isReady) return
    const description = form.description.trim() || null
    const { streaming } = form
    const settings = { limits: limitsOf(form.limits), streaming, content: contentOf(form.content) }
    const body = { name: name.trim(), description, ...settings }
    const onSuccess = () => {
      tell(`The workspace ${body.name} is there`)
      onClose()
    }
    create.mutate({ body }, { onSuccess })
  }

  return (
    <Modal opened onClose={onClose} title="Create a workspace" size="lg">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            description="Letters, digits and . _ - ; it cannot be changed later"
            required
            data-autofocus
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={problemAt(create.error, 'name')}
          />
          <WorkspaceFields form={form} onChange={setForm} error={create.error} />
          <FormError error={create.error} fields={['name', 'description', 'streaming', 'content', ...LIMIT_FIELDS]} />
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
    </Modal>
  )
}
