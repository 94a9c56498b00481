import { ChoiceField } from './choice-field.tsx'
import type { Provider } from './provider-health.ts'

type Speaks = Provider['speaks']

export interface SpeaksFieldProps {
  value: Speaks
  onChange: (value: Speaks) => void
}

const VALUES = { auto: null, yes: ['responses'], no: [] } satisfies Record<string, Speaks>
const CHOICES = {
  auto: ['Automatic', "Only at the vendor's own address"],
  yes: ['Yes', 'POST /v1/responses goes to it unchanged'],
  no: ['No', 'POST /v1/responses is translated to chat for it'],
} as const

export function SpeaksField({ value, onChange }: SpeaksFieldProps) {
  return (
    <ChoiceField
      label="Speaks the Responses API"
      choices={CHOICES}
      value={choiceOf(value)}
      onChange={(chosen) => onChange(VALUES[chosen])}
    />
  )
}

function choiceOf(value: Speaks): keyof typeof VALUES {
  if (value === null) return 'auto'
  return value.includes('responses') ? 'yes' : 'no'
}
