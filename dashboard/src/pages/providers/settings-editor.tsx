import { Group, Input, Select, Stack, TextInput } from '@mantine/core'
import { RemoveButton } from '../../components/forms/remove-button.tsx'
import type { SettingField } from './provider-kinds.ts'
import type { SettingDraft } from './settings-draft.ts'

export interface SettingsEditorProps {
  fields: readonly SettingField[]
  settings: readonly SettingDraft[]
  onChange: (settings: SettingDraft[]) => void
  error: string | undefined
}

/** Settings that only the family knows: those that are set, and a list of the others. */
export function SettingsEditor({ fields, settings, onChange, error }: SettingsEditorProps) {
  const shown = fields.filter(({ name }) => settings.some((setting) => setting.name === name))
  const others = fields.filter((field) => !shown.includes(field))
  const textOf = (name: string) => settings.find((setting) => setting.name === name)?.text ?? ''
  const without = (name: string) => settings.filter((setting) => setting.name !== name)
  const set = (name: string, text: string) => onChange([...without(name), { name, text }])
  return (
    <Input.Wrapper
      label="Settings"
      labelElement="div"
      description="Specific to the family, e.g. a region."
      error={error}
    >
      <Stack gap="xs" mt="xs">
        {shown.map((field) => (
          <Group key={field.name} gap="xs" wrap="nowrap" align="flex-end">
            <SettingInput field={field} text={textOf(field.name)} onChange={(text) => set(field.name, text)} />
            <RemoveButton label={`Remove setting ${field.name}`} onClick={() => onChange(without(field.name))} />
          </Group>
        ))}
        {others.length > 0 && (
          <Select
            aria-label="Add a setting"
            placeholder="Add a setting"
            w="fit-content"
            size="xs"
            data={others.map(({ name }) => name)}
            // It only adds: what was chosen has its own row then.
            value={null}
            onChange={(name) => name !== null && set(name, '')}
            searchable={others.length > 8}
          />
        )}
      </Stack>
    </Input.Wrapper>
  )
}

interface SettingInputProps {
  field: SettingField
  text: string
  onChange: (text: string) => void
}

function SettingInput({ field: { name, kind, values, help }, text, onChange }: SettingInputProps) {
  const common = { flex: 1, miw: 0, label: name, ...(help === '' ? {} : { description: help.replaceAll('`', '') }) }
  if (kind === 'choice') {
    return (
      <Select
        {...common}
        data={values}
        value={text === '' ? null : text}
        onChange={(chosen) => onChange(chosen ?? '')}
      />
    )
  }
  return (
    <TextInput
      {...common}
      placeholder={kind === 'json' ? 'JSON' : ''}
      inputMode={kind === 'number' ? 'numeric' : 'text'}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
