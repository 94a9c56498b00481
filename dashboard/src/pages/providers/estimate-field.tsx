import { Radio, Stack } from '@mantine/core'
import type { Provider } from './provider-health.ts'

type OnEstimate = Provider['on_estimate']

export interface EstimateFieldProps {
  value: OnEstimate
  onChange: (value: OnEstimate) => void
}

export function EstimateField({ value, onChange }: EstimateFieldProps) {
  return (
    <Radio.Group
      label="When it did not count the tokens to the end"
      value={value}
      onChange={(chosen) => onChange(chosen as OnEstimate)}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="estimate" label="Estimate" description="Book what was delivered, within bounds" />
        <Radio value="hold" label="Hold" description="Book all that was held: for providers that may bill more" />
      </Stack>
    </Radio.Group>
  )
}
