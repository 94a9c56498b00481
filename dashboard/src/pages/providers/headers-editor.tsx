import { Group, Input, Stack, TextInput } from '@mantine/core'
import { AddButton } from '../../components/forms/add-button.tsx'
import { RemoveButton } from '../../components/forms/remove-button.tsx'
import type { HeaderDraft } from './provider-draft.ts'

export interface HeadersEditorProps {
  headers: readonly HeaderDraft[]
  onChange: (headers: HeaderDraft[]) => void
  error: string | undefined
}

/** Extra headers of every call. Their values are written and never read. */
export function HeadersEditor({ headers, onChange, error }: HeadersEditorProps) {
  const set = (row: number, part: Partial<HeaderDraft>) =>
    onChange(headers.map((header) => (header.row === row ? { ...header, ...part } : header)))
  const next = Math.max(-1, ...headers.map(({ row }) => row)) + 1
  return (
    <Input.Wrapper
      label="Extra headers"
      labelElement="div"
      description="Sent with every call. Values are hidden after saving."
      error={error}
    >
      <Stack gap="xs" mt="xs" align="stretch">
        {headers.map((header, index) => (
          <Group key={header.row} gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              flex={1}
              aria-label={`Name of header ${index + 1}`}
              placeholder="x-team"
              value={header.name}
              // A stored value belongs to its name; under another one the gateway does not have it.
              readOnly={header.value === null}
              onChange={(event) => set(header.row, { name: event.currentTarget.value })}
            />
            <TextInput
              flex={1}
              aria-label={`Value of header ${index + 1}`}
              placeholder={header.value === null ? 'stored; type to replace it' : 'value'}
              value={header.value ?? ''}
              onChange={(event) => set(header.row, { value: event.currentTarget.value })}
            />
            <RemoveButton
              label={`Remove header ${header.name || index + 1}`}
              onClick={() => onChange(headers.filter(({ row }) => row !== header.row))}
            />
          </Group>
        ))}
        <AddButton onClick={() => onChange([...headers, { row: next, name: '', value: '' }])}>Add a header</AddButton>
      </Stack>
    </Input.Wrapper>
  )
}
