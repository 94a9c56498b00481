import { useOperation } from '../../../api/hooks.ts'
import { useRefusal } from '../../../api/session.ts'

/** Whether what was said in this workspace is stored, and this person may read it. */
export function useHasContent(workspace: string): boolean {
  const isRefused = useRefusal('requests.content') !== undefined
  const stores = useOperation('workspaces.get', { params: { name: workspace } }, { enabled: !isRefused })
  return !isRefused && (stores.data?.content ?? null) !== null
}
