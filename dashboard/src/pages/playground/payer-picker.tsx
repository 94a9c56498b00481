import { Select } from '@mantine/core'
import type { Payer } from './payers.ts'

export interface PayerPickerProps {
  /** Undefined while they are not known. */
  payers: readonly Payer[] | undefined
  value: string | null
  onChange: (id: string | null) => void
}

/** Every call counts towards the limits of a key, and is logged under it. */
export function PayerPicker({ payers, value, onChange }: PayerPickerProps) {
  const chosen = payers?.find(({ id }) => id === value)
  return (
    <Select
      label="Bill to key"
      placeholder={payers?.length === 0 ? 'This workspace has no live key' : 'Choose a key'}
      data={(payers ?? []).map(({ id, name, note }) => ({ value: id, label: `${name} · ${note}` }))}
      value={value}
      onChange={onChange}
      searchable
      limit={60}
      allowDeselect={false}
      error={chosen?.canPay === false ? 'This key’s budget is used up.' : undefined}
    />
  )
}
