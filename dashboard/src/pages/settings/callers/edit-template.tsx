import { Button, Group, NumberInput, Select, SimpleGrid, Stack, TagsInput, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { ApiError } from '../../../api/client.ts'
import { useAll, useChange } from '../../../api/hooks.ts'
import { problemAt } from '../../../api/problem.ts'
import { FormError } from '../../../components/form-error.tsx'
import { FormModal } from '../../../components/forms/typed-guard.tsx'
import { LIMIT_FIELDS, LimitsFields } from '../../../components/limits/limits-fields.tsx'
import { tell } from '../../../components/tell.ts'
import { useWorkspace } from '../../../shell/place.ts'
import { isTemplateReady, type Template, type TemplateForm, templateForm, templateOf } from './template-form.ts'

const FIELDS = ['name', 'workspace', 'description', 'allowed_models', 'max_keys', 'max_days', ...LIMIT_FIELDS]

/** A new template, or the settings of one. */
export function EditTemplate({ of, onClose }: { of: Template | null; onClose: () => void }) {
  const put = useChange('key-templates.put')
  const current = useWorkspace()
  const [form, setForm] = useState(() => templateForm(of, current))
  const change = (part: Partial<typeof form>) => setForm({ ...form, ...part })
  const { error } = put

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isTemplateReady(form)) return
    const name = form.name.trim()
    const onSuccess = () => {
      tell(of === null ? `Template ${name} created` : `Template ${name} saved; its keys follow at once`)
      onClose()
    }
    put.mutate({ params: { name }, body: templateOf(form) }, { onSuccess })
  }

  return (
    <FormModal opened onClose={onClose} title={of === null ? 'Create a key template' : `Change ${of.name}`} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <TemplateFields form={form} change={change} error={error} isNew={of === null} />
          <LimitsFields form={form.limits} onChange={(limits) => change({ limits })} error={error} />
          <TagsInput
            label="Allowed models"
            description="The names callers send. End with * to match a prefix. Empty allows all models."
            placeholder={form.allowed.length === 0 ? 'every model' : ''}
            value={form.allowed}
            onChange={(allowed) => change({ allowed })}
            splitChars={[',', ' ']}
            error={problemAt(error, 'allowed_models')}
          />
          <FormError error={error} fields={FIELDS} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={put.isPending} disabled={!isTemplateReady(form)}>
              {of === null ? 'Create the template' : 'Save'}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  )
}

interface TemplateFieldsProps {
  form: TemplateForm
  change: (part: Partial<TemplateForm>) => void
  error: ApiError | null
  isNew: boolean
}

function TemplateFields({ form, change, error, isNew }: TemplateFieldsProps) {
  const workspaces = useAll('workspaces.list', {})
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Name"
          description="Letters, digits, . _ -"
          required
          disabled={!isNew}
          data-autofocus={isNew || undefined}
          autoComplete="off"
          value={form.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          error={problemAt(error, 'name')}
        />
        <Select
          label="Workspace"
          description="Of the keys; can’t be changed later"
          data={workspaces.data?.map(({ name }) => name) ?? [form.workspace]}
          value={form.workspace}
          disabled={!isNew}
          allowDeselect={false}
          onChange={(workspace) => change({ workspace: workspace ?? form.workspace })}
          error={problemAt(error, 'workspace')}
        />
        <NumberInput
          label="Keys per person"
          description="Working ones at a time"
          required
          min={1}
          max={100}
          allowDecimal={false}
          value={form.maxKeys}
          onChange={(value) => change({ maxKeys: String(value) })}
          error={problemAt(error, 'max_keys')}
        />
        <NumberInput
          label="Expires after"
          description="Leave empty to never expire"
          placeholder="never"
          suffix=" days"
          min={1}
          max={3650}
          allowDecimal={false}
          value={form.maxDays}
          onChange={(value) => change({ maxDays: String(value) })}
          error={problemAt(error, 'max_days')}
        />
      </SimpleGrid>
      <TextInput
        label="Description"
        description="What people see beside its name"
        value={form.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
        error={problemAt(error, 'description')}
      />
    </>
  )
}
