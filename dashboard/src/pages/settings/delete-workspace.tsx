import { useLocation } from 'wouter'
import type { useChange } from '../../api/hooks.ts'
import { Confirm } from '../../components/confirm.tsx'
import { tell } from '../../components/tell.ts'
import { count } from '../../format/number.ts'
import { useWorkspace } from '../../shell/place.ts'
import type { Workspace } from './workspace.ts'

export interface DeleteWorkspaceProps {
  of: Workspace
  remove: ReturnType<typeof useChange<'workspaces.delete'>>
  onClose: () => void
  onDeleted: () => void
}

export function DeleteWorkspace({ remove, ...props }: DeleteWorkspaceProps) {
  const { name, live_keys: liveKeys, routes } = props.of
  const chosen = useWorkspace()
  const [, navigate] = useLocation()

  function confirm() {
    const onSuccess = () => {
      tell(`Workspace ${name} deleted`)
      props.onDeleted()
      // The page of a workspace that is gone would only show that it is gone.
      if (chosen === name) navigate('/default/settings/workspaces', { replace: true })
    }
    remove.mutate({ params: { name }, query: { force: liveKeys > 0 ? 'true' : 'false' } }, { onSuccess })
  }

  return (
    <Confirm
      isOpen
      onClose={props.onClose}
      title={`Delete the workspace ${name}?`}
      action={liveKeys > 0 ? 'Delete it with its live keys' : 'Delete the workspace'}
      {...(liveKeys > 0 ? { typed: name } : {})}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
    >
      {liveKeys > 0 && (
        <b>
          {liveKeys === 1 ? 'One key works' : `${count(liveKeys)} keys work`} there now; programs that use{' '}
          {liveKeys === 1 ? 'it' : 'them'} are refused from the next call on.{' '}
        </b>
      )}
      {routes === 1 ? 'Its route' : `Its ${count(routes)} routes`} and all its keys go. Requests and costs stay in the
      log. This cannot be undone.
    </Confirm>
  )
}
