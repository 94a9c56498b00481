import { ActionIcon, Button, Group, SegmentedControl, UnstyledButton } from '@mantine/core'
import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useOperation } from '../../api/hooks.ts'
import type { Search } from '../../shell/place.ts'
import { type Editing, FilterMenu } from './filter-menu.tsx'
import { type Chip, chipsOf, hasFilters, withoutFilters } from './filters.ts'
import { PeriodMenu } from './period-menu.tsx'
import classes from './requests.module.css'

export interface FilterBarProps {
  search: Search
  onChange: (change: Record<string, string | null>) => void
  /** At the right: following, exporting. */
  children: ReactNode
}

export function FilterBar({ search, onChange, children }: FilterBarProps) {
  const [editing, setEditing] = useState<Editing>(null)
  const { key, status = '' } = search
  const named = useOperation('keys.get', { params: { id: key ?? '' } }, { enabled: key !== undefined && key !== '' })
  const keyName = named.data?.id === key ? (named.data?.name ?? null) : null
  const isQuickStatus = status === '' || status === 'ok' || status === 'error'
  // What the quick choice shows needs no chip.
  const chips = chipsOf(search, keyName).filter(({ field }) => field !== 'status' || !isQuickStatus)
  return (
    <Group gap="xs" justify="space-between" align="flex-start">
      <Group gap="xs" role="search" aria-label="Filters">
        <PeriodMenu search={search} onChange={onChange} />
        <SegmentedControl
          aria-label="Status"
          size="xs"
          value={isQuickStatus ? status : 'other'}
          onChange={(value) => onChange({ status: value })}
          data={[
            { value: '', label: 'All' },
            { value: 'ok', label: 'OK' },
            { value: 'error', label: 'Errors' },
          ]}
        />
        <FilterMenu editing={editing} onEdit={setEditing} onChange={onChange} />
        {chips.map((chip) => (
          <FilterChip key={chip.field} chip={chip} onEdit={setEditing} onChange={onChange} />
        ))}
        {hasFilters(search) && (
          <Button variant="subtle" color="gray" size="xs" onClick={() => onChange(withoutFilters())}>
            Clear
          </Button>
        )}
      </Group>
      <Group gap="xs">{children}</Group>
    </Group>
  )
}

interface FilterChipProps {
  chip: Chip
  onEdit: (editing: Editing) => void
  onChange: (change: Record<string, string | null>) => void
}

function FilterChip({ chip, onEdit, onChange }: FilterChipProps) {
  const { field, title, value } = chip
  return (
    <span className={classes['chip']}>
      <UnstyledButton
        className={classes['chipText'] ?? ''}
        onClick={() => onEdit(field)}
        title={`${title} ${value}: change it`}
      >
        <span className={classes['chipTitle']}>{title}</span> {value}
      </UnstyledButton>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={20}
        aria-label={`Remove the filter ${title} ${value}`}
        onClick={() => onChange({ [field]: null })}
      >
        <X size={13} aria-hidden />
      </ActionIcon>
    </span>
  )
}
