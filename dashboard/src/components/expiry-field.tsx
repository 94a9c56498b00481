import { Anchor, Group, TextInput } from '@mantine/core'
import { localInput } from '../format/local-input.ts'

const DAY_MS = 86_400_000
const CHOICES = [
  ['7 days', 7],
  ['30 days', 30],
  ['90 days', 90],
  ['1 year', 365],
] as const

export interface ExpiryFieldProps {
  /** As localInput() gives it; empty: never. */
  value: string
  onChange: (value: string) => void
  error?: string | undefined
}

/** When a key expires: a moment in the viewer's zone, or never. */
export function ExpiryField({ value, onChange, error }: ExpiryFieldProps) {
  return (
    <TextInput
      type="datetime-local"
      label="Expires"
      description="Leave empty to never expire."
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      inputContainer={(input) => (
        <Group gap="sm" wrap="wrap">
          {input}
          <Group gap="xs" role="group" aria-label="Choose when it expires">
            {CHOICES.map(([label, days]) => (
              <Anchor
                key={label}
                component="button"
                type="button"
                size="xs"
                onClick={() => onChange(localInput(Date.now() + days * DAY_MS))}
              >
                {label}
              </Anchor>
            ))}
            <Anchor component="button" type="button" size="xs" onClick={() => onChange('')}>
              never
            </Anchor>
          </Group>
        </Group>
      )}
    />
  )
}
