import { Select } from '@mantine/core'
import { useLocation } from 'wouter'
import { useAll } from '../api/hooks.ts'
import { useWorkspace } from './place.ts'

/** Another workspace, the same page. */
export function WorkspaceSelect() {
  const workspace = useWorkspace()
  const workspaces = useAll('workspaces.list', {})
  const [location, navigate] = useLocation()
  const names = workspaces.data?.map(({ name }) => name) ?? []
  return (
    <Select
      aria-label="Workspace"
      w={{ base: 140, sm: 170 }}
      data={names.includes(workspace) ? names : [workspace, ...names]}
      value={workspace}
      allowDeselect={false}
      searchable={names.length > 8}
      onChange={(name) => name !== null && navigate(`/${encodeURIComponent(name)}/${location.split('/')[2] ?? ''}`)}
      comboboxProps={{ shadow: 'md' }}
    />
  )
}
