import { Select } from '@mantine/core'
import type { Item } from '../../api/client.ts'

export interface PayerPickerProps {
  keys: readonly Item<'keys.list'>[] | undefined
  value: string | null
  onChange: (id: string | null) => void
}

/** Every call is billed to a key: its limits, its budget, its line in the log. */
export function PayerPicker({ keys, value, onChange }: PayerPickerProps) {
  return (
    <Select
      label="In the name of"
      placeholder={keys?.length === 0 ? 'This workspace has no live key' : 'A key'}
      data={(keys ?? []).map(({ id, name, prefix }) => ({ value: id, label: `${name} · ${prefix}…` }))}
      value={value}
      onChange={onChange}
      searchable
      limit={60}
      allowDeselect={false}
    />
  )
}
