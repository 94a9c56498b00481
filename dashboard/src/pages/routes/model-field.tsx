import { Autocomplete, type OptionsFilter } from '@mantine/core'
import { useMemo } from 'react'
import { priceText } from '../../format/money.ts'
import { tokens } from '../../format/number.ts'
import type { KnownModel } from './route-checks.ts'
import classes from './routes.module.css'

export interface ModelFieldProps {
  value: string
  /** Undefined until they are known, or without a provider. */
  models: ReadonlyMap<string, KnownModel> | undefined
  onChange: (model: string) => void
  error: string | undefined
  isReadOnly: boolean
}

/** A model of the provider: one of those that are known, with what it costs, or any other id, typed. */
export function ModelField({ value, models, onChange, error, isReadOnly }: ModelFieldProps) {
  const names = useMemo(() => namesOf(models), [models])
  // Opening the list at a known model means looking for another one: all are shown.
  const filter: OptionsFilter = ({ options, search, limit }) => {
    const text = models?.has(search.trim()) ? '' : search.trim().toLowerCase()
    const found = options.filter((option) => 'value' in option && String(option.value).toLowerCase().includes(text))
    return found.slice(0, limit)
  }
  return (
    <Autocomplete
      className={classes['wide'] ?? ''}
      label="Model"
      placeholder={models === undefined ? 'The provider’s model id' : 'Choose or type an id'}
      data={names}
      value={value}
      onChange={onChange}
      filter={filter}
      renderOption={({ option }) => <Option name={String(option.value)} model={models?.get(String(option.value))} />}
      classNames={{ input: classes['model'] ?? '' }}
      error={error}
      readOnly={isReadOnly}
      limit={300}
      maxDropdownHeight={320}
      comboboxProps={{ width: 'min(26rem, 90vw)', position: 'bottom-start', shadow: 'md' }}
      autoComplete="off"
      spellCheck={false}
    />
  )
}

/** By name; what will be shut down comes last. */
function namesOf(models: ReadonlyMap<string, KnownModel> | undefined): string[] {
  const rank = (name: string) => Number(models?.get(name)?.deprecated === true)
  return [...(models?.keys() ?? [])].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en'))
}

function Option({ name, model }: { name: string; model: KnownModel | undefined }) {
  const input = model?.input_per_mtok ?? null
  const output = model?.output_per_mtok ?? null
  const price = input === null || output === null ? 'price unknown' : `${priceText(input)} / ${priceText(output)}`
  const window = model?.context_window == null ? '' : ` · ${tokens(model.context_window)}`
  return (
    <span className={classes['option']}>
      <span className="mono">{name}</span>
      <span>
        {model?.deprecated ? 'deprecated · ' : ''}
        {price}
        {window}
      </span>
    </span>
  )
}
