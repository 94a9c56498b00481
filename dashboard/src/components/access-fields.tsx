import { MultiSelect, Select, Stack } from '@mantine/core'
import { useAll } from '../api/hooks.ts'

export type Role = 'member' | 'viewer' | 'editor' | 'admin'

export interface Access {
  role: Role
  /** Empty: all. */
  workspaces: string[]
}

const ROLES: { value: Role; label: string }[] = [
  { value: 'member', label: 'Member: has keys of their own, sees nothing else' },
  { value: 'viewer', label: 'Viewer: also reads' },
  { value: 'editor', label: 'Editor: can also change keys and routes' },
  { value: 'admin', label: 'Admin: full access' },
]

interface AccessFieldsProps {
  value: Access
  onChange: (value: Access) => void
  error?: string | undefined
}

/** A person's role, and the workspaces it applies to. */
export function AccessFields({ value, onChange, error }: AccessFieldsProps) {
  const workspaces = useAll('workspaces.list', {})
  return (
    <Stack>
      <Select
        label="Role"
        data={ROLES}
        value={value.role}
        allowDeselect={false}
        onChange={(role) => role !== null && onChange({ ...value, role: role as Role })}
      />
      <MultiSelect
        label="Workspaces"
        description="Leave empty for all workspaces and the gateway itself"
        placeholder={value.workspaces.length === 0 ? 'All workspaces' : ''}
        data={workspaces.data?.map(({ name }) => name) ?? []}
        value={value.workspaces}
        searchable
        onChange={(names) => onChange({ ...value, workspaces: names })}
        error={error}
      />
    </Stack>
  )
}

/** `viewer in a, b` */
export function accessWords({ role, workspaces }: { role: Role; workspaces: readonly string[] | null }): string {
  if (workspaces === null) return `${role} in all workspaces`
  return `${role} in ${workspaces.length === 0 ? 'no workspace' : workspaces.join(', ')}`
}
