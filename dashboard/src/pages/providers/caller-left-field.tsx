import { Radio, Stack } from '@mantine/core'
import type { Provider } from './provider-health.ts'

type OnCallerLeft = Provider['on_caller_left']

const WORDS: Readonly<Record<OnCallerLeft, string>> = {
  abort: 'End the call: most providers bill what was generated so far',
  drain: 'Read it to its end: for providers that bill the whole answer anyway',
}

export interface CallerLeftFieldProps {
  value: OnCallerLeft
  onChange: (value: OnCallerLeft) => void
}

export function CallerLeftField({ value, onChange }: CallerLeftFieldProps) {
  return (
    <Radio.Group
      label="When the caller of a stream leaves"
      value={value}
      onChange={(chosen) => onChange(chosen as OnCallerLeft)}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="abort" label="Abort" description={WORDS.abort} />
        <Radio value="drain" label="Drain" description={WORDS.drain} />
      </Stack>
    </Radio.Group>
  )
}
