import { Autocomplete, NumberInput, Select, TextInput } from '@mantine/core'
import type { ApiError } from '../../api/client.ts'
import { problemAt } from '../../api/problem.ts'
import { isTime, UNITS, unitName } from '../../format/units.ts'
import { priceProblem } from './model-draft.ts'
import classes from './registry.module.css'
import { KNOWN_UNITS, type UnitDraft } from './unit-draft.ts'

export interface UnitFieldsProps {
  draft: UnitDraft
  /** From 0: its place in the list. */
  index: number
  onChange: (part: Partial<UnitDraft>) => void
  error: ApiError | null
}

const OPTIONS = UNITS.map((unit) => ({ value: unit, label: unitName(unit) }))
const TIMES = [
  { label: 'At least', field: 'minimumMs', name: 'minimum_ms' },
  { label: 'In steps of', field: 'stepMs', name: 'step_ms' },
] as const

/** One price per unit. Names of fields tell rows apart for screen readers. */
export function UnitFields({ draft, index, onChange, error }: UnitFieldsProps) {
  const { name, unit, usd } = draft
  const problemOf = (field: string) => problemAt(error, `unit_prices[${index}].${field}`)
  const labels = (label: string) => ({ label, 'aria-label': `${label} of unit ${index + 1}` })
  return (
    <div className={classes['fields']}>
      <Autocomplete
        {...labels('Name')}
        data={Object.keys(KNOWN_UNITS)}
        value={name}
        onChange={(value) => onChange({ name: value, unit: KNOWN_UNITS[value] ?? unit })}
        error={problemOf('name')}
        required
      />
      <Select
        {...labels('Unit')}
        data={OPTIONS}
        value={unit}
        onChange={(value) => onChange({ unit: UNITS.find((each) => each === value) ?? unit })}
        allowDeselect={false}
        error={problemOf('unit')}
      />
      <TextInput
        {...labels('USD per 1,000')}
        leftSection="$"
        inputMode="decimal"
        autoComplete="off"
        value={usd}
        onChange={(event) => onChange({ usd: event.currentTarget.value })}
        error={priceProblem(usd) ?? problemOf('usd_per_1000')}
        required
      />
      {isTime(unit) &&
        TIMES.map(({ label, field, name: place }) => (
          <NumberInput
            key={field}
            {...labels(label)}
            suffix=" ms"
            thousandSeparator=","
            allowDecimal={false}
            min={1}
            value={draft[field]}
            onChange={(value) => onChange({ [field]: value === '' ? '' : Number(value) })}
            error={problemOf(place)}
          />
        ))}
    </div>
  )
}
