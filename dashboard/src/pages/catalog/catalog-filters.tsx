import { MultiSelect, SegmentedControl, Switch } from '@mantine/core'
import { capabilityText } from '../../components/capability-tags.tsx'
import { SearchField } from '../../components/search-field.tsx'
import classes from './catalog.module.css'
import type { choices, Filters } from './catalog-list.ts'

export interface CatalogFiltersProps {
  filters: Filters
  offered: ReturnType<typeof choices>
  onChange: (change: Record<string, string | null>) => void
}

const KINDS = [
  { value: 'all', label: 'All' },
  { value: 'alias', label: 'Aliases' },
  { value: 'direct', label: 'Direct' },
]

/** Two or three chosen values stay in one line with the place to type. */
const NARROW = { inputField: { minWidth: '3ch', flex: '1 1 3ch' } }

export function CatalogFilters({ filters, offered, onChange }: CatalogFiltersProps) {
  return (
    <search className={classes['filters']}>
      <SearchField
        label="Search ids, providers, models"
        value={filters.search}
        onSearch={(text) => onChange({ search: text })}
      />
      <SegmentedControl
        aria-label="Kind"
        size="sm"
        data={KINDS}
        value={filters.kind ?? 'all'}
        onChange={(kind) => onChange({ kind: kind === 'all' ? null : kind })}
      />
      <MultiSelect
        aria-label="Providers"
        {...placeholderOf('Any provider', filters.providers)}
        data={offered.providers.map(({ name, rows }) => ({ value: name, label: name, rows }))}
        renderOption={({ option }) => <Counted option={option} />}
        value={filters.providers}
        onChange={(names) => onChange({ provider: names.join(',') })}
        searchable={offered.providers.length > 8}
        styles={NARROW}
        clearable
      />
      <MultiSelect
        aria-label="Capabilities"
        {...placeholderOf('Any capability', filters.capabilities)}
        data={offered.capabilities.map(({ name, rows }) => ({ value: name, label: capabilityText(name), rows }))}
        renderOption={({ option }) => <Counted option={option} />}
        value={filters.capabilities}
        onChange={(names) => onChange({ capability: names.join(',') })}
        nothingFoundMessage="No model has it"
        styles={NARROW}
        searchable
        clearable
      />
      <Switch
        label="Hide deprecated"
        checked={filters.hidesDeprecated}
        onChange={(event) => onChange({ deprecated: event.currentTarget.checked ? 'hide' : null })}
      />
    </search>
  )
}

/** Beside chosen values the placeholder would only take their room. */
function placeholderOf(text: string, chosen: readonly string[]) {
  return chosen.length === 0 ? { placeholder: text } : {}
}

function Counted({ option }: { option: { label?: string; value: string } }) {
  const { rows } = option as unknown as { rows: number }
  return (
    <>
      <span style={{ flex: 1 }}>{option.label}</span>
      <span className={`figures ${classes['dim']}`}>{rows}</span>
    </>
  )
}
