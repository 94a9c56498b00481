import { Stack, TagsInput, TextInput } from '@mantine/core'
import type { ApiError } from '../../api/client.ts'
import { useAll } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { ExpiryField } from '../../components/expiry-field.tsx'
import { LIMIT_FIELDS, LimitsFields } from '../../components/limits/limits-fields.tsx'
import { useWorkspace } from '../../shell/place.ts'
import type { KeyForm } from './key-form.ts'

/** The fields at which the gateway's texts are shown. */
export const KEY_FIELDS = ['name', 'expires_at', 'allowed_models', ...LIMIT_FIELDS]

export interface KeyFieldsProps {
  form: KeyForm
  onChange: (form: KeyForm) => void
  error: ApiError | null
  isNew?: boolean
}

export function KeyFields({ form, onChange, error, isNew = false }: KeyFieldsProps) {
  return (
    <Stack gap="md">
      <TextInput
        label="Name"
        description="Letters, digits, . _ -. Must be unique in this workspace."
        required
        value={form.name}
        onChange={(event) => onChange({ ...form, name: event.currentTarget.value })}
        error={problemAt(error, 'name')}
        autoComplete="off"
        data-autofocus={isNew || undefined}
      />
      <LimitsFields form={form.limits} onChange={(limits) => onChange({ ...form, limits })} error={error} />
      <ExpiryField
        value={form.expires}
        onChange={(expires) => onChange({ ...form, expires })}
        error={problemAt(error, 'expires_at')}
      />
      <AllowedModelsField
        value={form.allowed}
        onChange={(allowed) => onChange({ ...form, allowed })}
        error={problemAt(error, 'allowed_models')}
      />
    </Stack>
  )
}

function AllowedModelsField(props: {
  value: string[]
  onChange: (value: string[]) => void
  error: string | undefined
}) {
  const workspace = useWorkspace()
  const catalog = useAll('catalog.list', { query: { workspace } })
  const ids = (kind: 'alias' | 'direct') => catalog.data?.filter((item) => item.kind === kind).map(({ id }) => id) ?? []
  const aliases = ids('alias')
  return (
    <TagsInput
      label="Allowed models"
      description="The names callers send. End with * to match a prefix. Empty allows all models."
      placeholder={props.value.length === 0 ? 'every model' : ''}
      data={[
        { group: 'Aliases', items: aliases },
        { group: 'Models', items: ids('direct').filter((id) => !aliases.includes(id)) },
      ]}
      value={props.value}
      onChange={props.onChange}
      error={props.error}
      splitChars={[',', ' ']}
      limit={60}
      maxDropdownHeight={260}
      comboboxProps={{ shadow: 'md' }}
    />
  )
}
