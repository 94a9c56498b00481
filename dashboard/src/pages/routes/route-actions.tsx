import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Copy, Eraser, FlaskConical, Trash2 } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import type { Versioned } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { Confirm } from '../../components/confirm.tsx'
import { MayButton, MayLink } from '../../components/may-button.tsx'
import { ManagedBadge } from '../../components/status.tsx'
import { tell, tellError } from '../../components/tell.ts'
import { count } from '../../format/number.ts'
import { usePath, useWorkspace } from '../../shell/place.ts'
import type { Route } from './route-draft.ts'
import { useTraffic } from './route-traffic.tsx'

export interface RouteActionsProps {
  present: Versioned<Route>
  hasChanges: boolean
  onGoing: ((isGoing: boolean) => void) | undefined
  /** Nothing that was changed needs to be kept any longer. */
  onDeleted: () => void
}

export function RouteActions({ present, onGoing, onDeleted }: RouteActionsProps) {
  const { alias, managed_by } = present.value
  const isOwn = present.value.workspace === useWorkspace()
  const path = usePath()
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <ManagedBadge by={managed_by} />
      <Button
        component={Link}
        href={`${path('playground')}?${new URLSearchParams({ model: alias })}`}
        variant="default"
        leftSection={<FlaskConical size={15} aria-hidden />}
      >
        Playground
      </Button>
      {isOwn && present.value.cache !== null && <PurgeButton alias={alias} />}
      <MayLink
        to="routes.put"
        href={`${path('routes')}?${new URLSearchParams({ new: '1', from: alias })}`}
        variant="default"
        leftSection={<Copy size={15} aria-hidden />}
      >
        Copy as new
      </MayLink>
      {isOwn && managed_by === null && (
        <>
          <MayButton
            to="routes.delete"
            variant="default"
            c="var(--bad)"
            leftSection={<Trash2 size={15} aria-hidden />}
            onClick={open}
          >
            Delete
          </MayButton>
          <DeleteDialog present={present} isOpen={isOpen} onClose={close} onGoing={onGoing} onDeleted={onDeleted} />
        </>
      )}
    </>
  )
}

/** Answers that are stored until now are given no more. */
function PurgeButton({ alias }: { alias: string }) {
  const workspace = useWorkspace()
  const purge = useChange('routes.purge-cache')
  return (
    <MayButton
      to="routes.purge-cache"
      variant="default"
      leftSection={<Eraser size={15} aria-hidden />}
      loading={purge.isPending}
      onClick={() =>
        purge.mutate(
          { params: { alias }, query: { workspace } },
          {
            onSuccess: () => tell(`Cache of '${alias}' cleared`),
            onError: ({ message }) => tellError(message),
          },
        )
      }
    >
      Purge cache
    </MayButton>
  )
}

type DeleteDialogProps = Pick<RouteActionsProps, 'present' | 'onGoing' | 'onDeleted'> & {
  isOpen: boolean
  onClose: () => void
}

function DeleteDialog({ present, isOpen, onClose, onGoing, onDeleted }: DeleteDialogProps) {
  const { alias } = present.value
  const workspace = useWorkspace()
  const path = usePath()
  const [, navigate] = useLocation()
  const calls = useTraffic()?.get(alias)?.requests ?? 0
  const remove = useChange('routes.delete')
  function confirm() {
    onGoing?.(true)
    const input = { params: { alias }, query: { workspace }, ifMatch: present.etag }
    remove.mutate(input, {
      onSuccess() {
        tell(`Route '${alias}' deleted`)
        onDeleted()
        navigate(path('routes'), { replace: true })
      },
      onError: () => onGoing?.(false),
    })
  }
  return (
    <Confirm
      isOpen={isOpen}
      onClose={() => {
        remove.reset()
        onClose()
      }}
      title={`Delete the route '${alias}'?`}
      action="Delete route"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
    >
      Running calls finish. After that, the gateway no longer knows <span className="mono">{alias}</span> as an alias.{' '}
      {calls === 0
        ? 'It had no calls in the last 24 hours.'
        : `It had ${count(calls)} calls in the last 24 hours. They will fail from now on.`}
    </Confirm>
  )
}
