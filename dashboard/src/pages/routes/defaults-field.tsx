import { JsonInput } from '@mantine/core'
import { defaultsProblem } from './route-draft.ts'

export interface DefaultsFieldProps {
  /** JSON; empty: none. */
  value: string
  onChange: (value: string) => void
  error: string | null | undefined
  isReadOnly: boolean
}

/** Parameters that are sent where the caller leaves them out. */
export function DefaultsField({ value, onChange, error, isReadOnly }: DefaultsFieldProps) {
  return (
    <JsonInput
      label="Default parameters"
      description="JSON. Sent when the caller leaves a parameter out."
      placeholder={isReadOnly ? 'none' : '{"temperature": 0.2}'}
      value={value}
      onChange={onChange}
      error={defaultsProblem(value) ?? error}
      formatOnBlur
      autosize
      minRows={1}
      maxRows={8}
      readOnly={isReadOnly}
    />
  )
}
