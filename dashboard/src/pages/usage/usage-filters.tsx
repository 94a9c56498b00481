import { Button, Group, Select } from '@mantine/core'
import { useState } from 'react'
import { groupFilters, groupName } from '../../charts/usage-groups.ts'
import { useUrlState } from '../../shell/place.ts'
import { FILTERS, type UsageView } from './usage-view.ts'
import { useUsedGroups } from './use-usage.ts'

type FilterName = (typeof FILTERS)[number]

const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, null]))
/** Of interest to few, and costly to look up: shown when the page is about them. */
const RARE: ReadonlySet<FilterName> = new Set(['user', 'session', 'project', 'kind'])

/** Narrows everything on the page; kept in the address. */
export function UsageFilters({ view }: { view: UsageView }) {
  const [, change] = useUrlState()
  const isFiltered = Object.keys(view.filters).length > 0
  return (
    <Group gap="xs">
      {FILTERS.filter((name) => !RARE.has(name) || view.groupBy === name || view.filters[name] !== undefined).map(
        (name) => (
          <Filter key={name} name={name} view={view} />
        ),
      )}
      {isFiltered && (
        <Button variant="subtle" color="gray" size="xs" onClick={() => change(NO_FILTERS)}>
          Clear
        </Button>
      )}
    </Group>
  )
}

function Filter({ name, view }: { name: FilterName; view: UsageView }) {
  const [, change] = useUrlState()
  const [isOpened, setOpened] = useState(false)
  const value = chosen(name, view)
  const groups = useUsedGroups(name, view, isOpened || value !== null)
  const options = (groups.data?.data ?? []).flatMap((row) =>
    row.group === null ? [] : [{ value: row.group, label: groupName(name, row) }],
  )
  // What the address says is shown even when nothing of it was used in this period.
  const isKnown = value === null || options.some((option) => option.value === value)
  return (
    <Select
      aria-label={`Filter by ${name}`}
      placeholder={`All ${name}s`}
      size="xs"
      w={name === 'model' ? 210 : 140}
      searchable
      selectFirstOptionOnChange
      clearable
      data={isKnown ? options : [{ value, label: value }, ...options]}
      value={value}
      onDropdownOpen={() => setOpened(true)}
      onChange={(next) => change(changed(name, next))}
      nothingFoundMessage={groups.isPending ? 'Loading …' : 'None used in this period'}
      comboboxProps={{ width: 'max-content', position: 'bottom-start', portalProps: { target: '#content' } }}
    />
  )
}

/** A model is chosen together with its provider, as PROVIDER/MODEL. */
function chosen(name: FilterName, { filters }: UsageView): string | null {
  if (name !== 'model') return filters[name] ?? null
  if (filters.model === undefined) return null
  return filters.provider === undefined ? filters.model : `${filters.provider}/${filters.model}`
}

function changed(name: FilterName, next: string | null): Record<string, string | null> {
  if (name === 'model') return next === null ? { model: null, provider: null } : groupFilters('model', next)
  return name === 'provider' ? { provider: next, model: null } : { [name]: next }
}
