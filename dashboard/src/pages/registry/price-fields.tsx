import { TextInput } from '@mantine/core'
import type { ApiError } from '../../api/client.ts'
import { problemAt } from '../../api/problem.ts'
import { PRICE_CLASSES, type PriceField } from '../../format/token-classes.ts'
import { priceProblem } from './model-draft.ts'
import classes from './registry.module.css'

export interface PriceFieldsProps {
  prices: Record<PriceField, string>
  onChange: (change: Partial<Record<PriceField, string>>) => void
  /** `tiers[0].` for those of a tier. */
  place?: string
  /** Distinguishes the fields of one tier from those of another for screen readers. */
  suffix?: string
  error: ApiError | null
}

/** One field a class. Text, not numbers: a price is exactly what was typed. */
export function PriceFields({ prices, onChange, place = '', suffix = '', error }: PriceFieldsProps) {
  return (
    <div className={classes['fields']}>
      {PRICE_CLASSES.map(({ field, name, fallback }) => (
        <TextInput
          key={field}
          label={name}
          {...(suffix !== '' && { 'aria-label': `${name} ${suffix}` })}
          leftSection="$"
          inputMode="decimal"
          autoComplete="off"
          placeholder={fallback === null ? 'unknown' : `as ${fallback}`}
          value={prices[field]}
          onChange={(event) => onChange({ [field]: event.currentTarget.value })}
          error={priceProblem(prices[field]) ?? problemAt(error, place + field)}
        />
      ))}
    </div>
  )
}
