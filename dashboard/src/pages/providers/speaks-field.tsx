import { Radio, Stack } from '@mantine/core'
import type { Provider } from './provider-health.ts'

type Speaks = Provider['speaks']

export interface SpeaksFieldProps {
  value: Speaks
  onChange: (value: Speaks) => void
}

const CHOICES = { auto: null, yes: ['responses'], no: [] } satisfies Record<string, Speaks>

export function SpeaksField({ value, onChange }: SpeaksFieldProps) {
  return (
    <Radio.Group
      label="Speaks the Responses API"
      value={choiceOf(value)}
      onChange={(chosen) => onChange(CHOICES[chosen as keyof typeof CHOICES])}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="auto" label="Automatic" description="Only at the vendor's own address" />
        <Radio value="yes" label="Yes" description="POST /v1/responses goes to it unchanged" />
        <Radio value="no" label="No" description="POST /v1/responses is translated to chat for it" />
      </Stack>
    </Radio.Group>
  )
}

function choiceOf(value: Speaks): keyof typeof CHOICES {
  if (value === null) return 'auto'
  return value.includes('responses') ? 'yes' : 'no'
}
