import { Select, TextInput } from '@mantine/core'
import type { ProviderKinds } from './provider-kinds.ts'

export interface KindFieldsProps {
  kinds: ProviderKinds
  preset: string | null
  family: string
  onChange: (part: { preset?: string | null; family?: string }) => void
  problemAt: (field: string) => string | undefined
}

export function KindFields({ kinds, preset, family, onChange, problemAt }: KindFieldsProps) {
  return (
    <>
      <Select
        label="Preset"
        description="A vendor with a known address and quirks."
        placeholder="None"
        data={kinds.presets.map(({ name }) => name)}
        value={preset}
        onChange={(chosen) => {
          const known = kinds.presets.find(({ name }) => name === chosen)
          onChange({ preset: chosen, ...(known === undefined ? {} : { family: known.family }) })
        }}
        error={problemAt('preset')}
        clearable
        clearButtonProps={{ 'aria-label': 'No preset' }}
        searchable
      />
      <Select
        label="Family"
        description="The wire format it speaks."
        placeholder="Choose one"
        data={kinds.families.map(({ name }) => name)}
        value={family === '' ? null : family}
        onChange={(chosen) => onChange({ family: chosen ?? '' })}
        error={problemAt('family')}
        allowDeselect={false}
        // The preset decides it.
        disabled={preset !== null}
      />
    </>
  )
}

export interface AddressFieldProps {
  value: string
  onChange: (value: string) => void
  /** Used where nothing is typed; null: an address is needed. */
  usual: string | null
  error: string | undefined
}

export function AddressField({ value, onChange, usual, error }: AddressFieldProps) {
  const otherwise = usual === null ? '' : ` Empty uses ${usual === '' ? 'the vendor’s own' : usual}.`
  return (
    <TextInput
      label="Base URL"
      description={`Base address, up to /v1.${otherwise}`}
      placeholder="http://127.0.0.1:8000/v1"
      type="url"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      required={usual === null}
    />
  )
}
