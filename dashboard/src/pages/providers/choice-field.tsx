import { Radio, Stack } from '@mantine/core'

export interface ChoiceFieldProps<Value extends string> {
  label: string
  /** What each value is called and does. */
  choices: Readonly<Record<Value, readonly [label: string, description: string]>>
  value: Value
  onChange: (value: Value) => void
}

/** One of a few ways, each with what it means. */
export function ChoiceField<Value extends string>({ label, choices, value, onChange }: ChoiceFieldProps<Value>) {
  const entries = Object.entries<readonly [string, string]>(choices)
  return (
    <Radio.Group label={label} value={value} onChange={(chosen) => onChange(chosen as Value)}>
      <Stack gap="xs" mt={6}>
        {entries.map(([each, [name, description]]) => (
          <Radio key={each} value={each} label={name} description={description} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
