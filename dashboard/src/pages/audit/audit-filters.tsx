import { Group, Select } from '@mantine/core'
import { useAll } from '../../api/hooks.ts'
import { useRefusal } from '../../api/session.ts'
import { SearchField } from '../../components/search-field.tsx'
import { KINDS, OTHER_ACTORS } from '../../format/audit-entry.ts'
import { useUrlState } from '../../shell/place.ts'

export function AuditFilters() {
  const [{ resource = '', actor = '', workspace = null }, setSearch] = useUrlState()
  const keys = useAll('admin-keys.list', {}, { enabled: useRefusal('admin-keys.list') === undefined })
  const workspaces = useAll('workspaces.list', {}).data?.map(({ name }) => name) ?? []
  const actors = [
    ...(keys.data ?? []).map(({ id, name, revoked_at }) => ({
      value: id,
      label: revoked_at ? `${name} (revoked)` : name,
    })),
    ...Object.entries(OTHER_ACTORS).map(([value, label]) => ({ value, label })),
  ]
  if (actor !== '' && !actors.some(({ value }) => value === actor)) actors.push({ value: actor, label: actor })
  const kinds = Object.entries(KINDS).map(([kind, { many }]) => ({ value: kind, label: many }))
  return (
    <Group gap="sm">
      <Select
        aria-label="Kind"
        placeholder="Every kind"
        data={kinds}
        value={Object.keys(KINDS).find((kind) => resource === kind || resource.startsWith(`${kind}/`)) ?? null}
        onChange={(kind) => setSearch({ resource: kind === null ? null : kind === 'secrets' ? kind : `${kind}/` })}
        clearable
        clearButtonProps={{ 'aria-label': 'Every kind' }}
        w={{ base: '100%', xs: 160 }}
      />
      <SearchField
        label="One resource, e.g. routes/fast"
        value={resource.endsWith('/') ? '' : resource}
        onSearch={(text) => setSearch({ resource: text.trim() })}
        w={{ base: '100%', xs: 260 }}
      />
      <Select
        aria-label="In workspace"
        placeholder="Every workspace"
        data={workspace === null || workspaces.includes(workspace) ? workspaces : [...workspaces, workspace]}
        value={workspace}
        onChange={(name) => setSearch({ workspace: name })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Every workspace' }}
        w={{ base: '100%', xs: 170 }}
      />
      <Select
        aria-label="Actor"
        placeholder="Everyone"
        data={actors}
        value={actor === '' ? null : actor}
        onChange={(value) => setSearch({ actor: value })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Everyone' }}
        w={{ base: '100%', xs: 190 }}
      />
    </Group>
  )
}
