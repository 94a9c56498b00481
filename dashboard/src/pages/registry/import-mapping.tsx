import { Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAll } from '../../api/hooks.ts'
import { SearchField } from '../../components/search-field.tsx'
import { count } from '../../format/number.ts'
import classes from './import.module.css'
import type { ListedProvider, Mapping } from './import-list.ts'

export interface ImportMappingProps {
  listed: readonly ListedProvider[]
  mapping: Mapping
  onChange: (mapping: Mapping) => void
}

/** Lists of the community have a hundred vendors: those that matter are found by name. */
const SHOWN = 8

/** Whose models of the list become models of which provider here. */
export function ImportMapping({ listed, mapping, onChange }: ImportMappingProps) {
  const providers = useAll('providers.list', {})
  const [search, setSearch] = useState('')
  const ours = providers.data?.map(({ name }) => name) ?? []
  if (listed.length === 0) return null
  const isTaken = ({ name }: ListedProvider) => ours.includes(name) || mapping[name] !== undefined
  const ordered = [...listed.filter(isTaken), ...listed.filter((row) => !isTaken(row))]
  const found = ordered.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
  return (
    <Stack gap="xs">
      <div>
        <Text size="sm" fw={500}>
          Providers of the list
        </Text>
        <Text size="xs" c="dimmed">
          Models of unknown providers are left out. Matching names are mapped automatically.
        </Text>
      </div>
      {listed.length > SHOWN && <SearchField label="Find a provider of the list" value={search} onSearch={setSearch} />}
      <ul className={classes['mapping']}>
        {found.slice(0, SHOWN).map(({ name, models }) => (
          <li key={name}>
            <span className="mono">{name}</span>
            <span className={`figures ${classes['dim']}`}>
              {count(models)} {models === 1 ? 'model' : 'models'}
            </span>
            <Select
              aria-label={`Provider here for ${name}`}
              size="xs"
              placeholder="left out"
              data={ours}
              value={mapping[name] ?? (ours.includes(name) ? name : null)}
              onChange={(value) => onChange(changed(mapping, name, value))}
              clearable={!ours.includes(name)}
              clearButtonProps={{ 'aria-label': `Leave ${name} out` }}
              allowDeselect={false}
            />
          </li>
        ))}
      </ul>
      {found.length > SHOWN && (
        <Text size="xs" c="dimmed">
          and {count(found.length - SHOWN)} more
        </Text>
      )}
    </Stack>
  )
}

function changed(mapping: Mapping, name: string, value: string | null): Mapping {
  const { [name]: _before, ...others } = mapping
  return value === null ? others : { ...others, [name]: value }
}
