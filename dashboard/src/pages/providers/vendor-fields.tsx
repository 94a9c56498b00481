import { Select, TextInput } from '@mantine/core'
import { knownAddress, type ProviderKinds } from './provider-kinds.ts'

export interface VendorFieldsProps {
  kinds: ProviderKinds
  preset: string | null
  family: string
  baseUrl: string
  /** The address is known though neither family nor preset knows one: the environment does. */
  isAddressOptional: boolean
  onChange: (part: { preset?: string | null; family?: string; baseUrl?: string }) => void
  problemAt: (field: string) => string | undefined
}

/** Whose server it is, what it speaks and where it is. */
export function VendorFields(props: VendorFieldsProps) {
  const { kinds, preset, family, baseUrl, isAddressOptional, onChange, problemAt } = props
  const address = knownAddress(kinds, family, preset)
  const isNeeded = address === null && !isAddressOptional
  const what = 'Up to where the paths of the API begin'
  return (
    <>
      <Select
        label="Preset"
        description="A vendor whose address and quirks are known"
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
        description="Which wire format it speaks"
        placeholder="Choose one"
        data={kinds.families.map(({ name }) => name)}
        value={family === '' ? null : family}
        onChange={(chosen) => onChange({ family: chosen ?? '' })}
        error={problemAt('family')}
        allowDeselect={false}
        // The preset says it.
        disabled={preset !== null}
        required
      />
      <TextInput
        label="Base URL"
        description={
          isNeeded ? what : `${what}. Empty: ${address === null || address === '' ? 'as its family knows it' : address}`
        }
        placeholder="http://127.0.0.1:8000/v1"
        type="url"
        value={baseUrl}
        onChange={(event) => onChange({ baseUrl: event.currentTarget.value })}
        error={problemAt('base_url')}
        required={isNeeded}
      />
    </>
  )
}
