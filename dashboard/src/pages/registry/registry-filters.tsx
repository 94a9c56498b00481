import { SegmentedControl, Select } from '@mantine/core'
import { SearchField } from '../../components/search-field.tsx'
import classes from './registry.module.css'
import type { RegistryView } from './registry-list.ts'

export interface RegistryFiltersProps {
  view: RegistryView
  providers: readonly string[]
  onChange: (change: Record<string, string | null>) => void
}

const ONLY = [
  { value: 'all', label: 'All' },
  { value: 'own', label: 'Own prices' },
  { value: 'unpriced', label: 'No price' },
  { value: 'deprecated', label: 'Deprecated' },
]

export function RegistryFilters({ view, providers, onChange }: RegistryFiltersProps) {
  return (
    <search className={classes['filters']}>
      <SearchField
        label="Search models, aliases, capabilities"
        value={view.search}
        onSearch={(search) => onChange({ search })}
        w={{ base: '100%', xs: 280 }}
      />
      <Select
        aria-label="Provider"
        placeholder="Every provider"
        data={[...providers]}
        value={view.provider}
        onChange={(provider) => onChange({ provider })}
        searchable={providers.length > 8}
        clearable
        clearButtonProps={{ 'aria-label': 'Every provider' }}
        w={{ base: '100%', xs: 180 }}
      />
      <SegmentedControl
        aria-label="Which models"
        data={ONLY}
        size="sm"
        value={view.only ?? 'all'}
        onChange={(only) => onChange({ only: only === 'all' ? null : only })}
      />
    </search>
  )
}
