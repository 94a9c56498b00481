import { NumberInput, type NumberInputProps } from '@mantine/core'

export const HEDGE =
  'If there’s no content by then, the next entry is called, too. The first answer wins; both are paid.'

interface SecondsFieldProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  /** Milliseconds; null: the gateway's default. */
  value: number | null
  onChange: (value: number | null) => void
}

export function SecondsField({ value, onChange, ...rest }: SecondsFieldProps) {
  return (
    <NumberInput
      {...rest}
      suffix=" s"
      value={value === null ? '' : value / 1000}
      onChange={(seconds) => onChange(typeof seconds === 'number' ? Math.round(seconds * 1000) : null)}
      min={0.001}
      max={3600}
      decimalScale={3}
      hideControls
    />
  )
}
