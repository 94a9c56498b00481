import { Button, Group, PasswordInput, SegmentedControl, Select, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { ApiError } from '../../api/client.ts'
import { problemAt } from '../../api/problem.ts'
import { FormError } from '../../components/form-error.tsx'
import {
  type Channel,
  channelBody,
  FIELDS,
  type Field,
  type FieldName,
  isHidden,
  KIND_TITLES,
  type LeastSeverity,
  type NewChannel,
  SEVERITY_TITLES,
  type Typed,
  typedOf,
} from './channel-kinds.ts'

export interface ChannelFormProps {
  /** The channel that is changed; none for a new one. */
  of?: Channel
  action: string
  error: ApiError | null
  isBusy: boolean
  onSubmit: (body: NewChannel) => void
  onClose: () => void
}

export function ChannelForm({ of: channel, action, error, isBusy, onSubmit, onClose }: ChannelFormProps) {
  const [kind, setKind] = useState<NewChannel['kind']>(channel?.kind ?? 'webhook')
  const [name, setName] = useState(channel?.name ?? '')
  const [typed, setTyped] = useState<Typed>(channel === undefined ? {} : typedOf(channel))
  const [severity, setSeverity] = useState<LeastSeverity>(channel?.min_severity ?? 'info')
  const fields = FIELDS[kind]
  const isKept = (field: FieldName) => channel !== undefined && isHidden(kind, field)
  const isWhole =
    name.trim() !== '' && fields.every((field) => !field.isRequired || isKept(field.name) || typed[field.name])

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isWhole) onSubmit({ ...channelBody(kind, name, typed), min_severity: severity })
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        {channel === undefined && (
          <SegmentedControl
            aria-label="Kind"
            value={kind}
            onChange={(value) => setKind(value as NewChannel['kind'])}
            data={Object.entries(KIND_TITLES).map(([value, label]) => ({ value, label }))}
          />
        )}
        <TextInput
          label="Name"
          required
          data-autofocus
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemAt(error, 'name')}
        />
        {fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            isKept={isKept(field.name)}
            value={typed[field.name] ?? ''}
            onChange={(value) => setTyped({ ...typed, [field.name]: value })}
            problem={problemAt(error, field.name)}
          />
        ))}
        <Select
          label="Gets"
          allowDeselect={false}
          value={severity}
          onChange={(value) => setSeverity(value ?? 'info')}
          data={Object.entries(SEVERITY_TITLES).map(([value, label]) => ({ value: value as LeastSeverity, label }))}
        />
        <FormError error={error} fields={['name', ...fields.map((field) => field.name)]} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy} disabled={!isWhole}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface FieldInputProps {
  field: Field
  /** Stored and not shown: what is not typed stays as it is. */
  isKept: boolean
  value: string
  onChange: (value: string) => void
  problem: string | undefined
}

function FieldInput({ field, isKept, value, onChange, problem }: FieldInputProps) {
  const { label, description, isRequired = false, isSecret = false } = field
  const Input = isSecret ? PasswordInput : TextInput
  return (
    <Input
      label={label}
      description={isKept ? 'Not shown. Stays as it is if you leave this empty' : description}
      required={isRequired && !isKept}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={problem}
    />
  )
}
