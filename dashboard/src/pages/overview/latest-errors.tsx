import { CircleCheck } from 'lucide-react'
import { Link } from 'wouter'
import type { Item, Reply } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import type { Period } from '../../charts/periods.ts'
import { Panel } from '../../components/panel.tsx'
import { PanelLink } from '../../components/panel-link.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { errorText } from '../../format/error-words.ts'
import { usePath, useWorkspace } from '../../shell/place.ts'
import classes from './overview.module.css'
import { REFRESH_MS } from './use-overview.ts'

/** What went wrong last and why, each leading to its request. */
export function LatestErrors({ period, from }: { period: Period; from: string }) {
  const workspace = useWorkspace()
  const path = usePath()
  const errors = useOperation(
    'requests.list',
    { query: { workspace, status: 'error', from, limit: 5 } },
    { refetchEvery: REFRESH_MS },
  )
  return (
    <Panel
      title="Latest errors"
      description={period.words}
      flush
      actions={
        <PanelLink href={`${path('requests')}?${new URLSearchParams({ status: 'error', from })}`}>All errors</PanelLink>
      }
    >
      <Loaded query={errors}>
        {({ data }: Reply<'requests.list'>) =>
          data.length === 0 ? (
            <EmptyState title="No errors" icon={CircleCheck}>
              Nothing failed {period.words}.
            </EmptyState>
          ) : (
            <ul className={classes['rows']}>
              {data.map((request) => (
                <FailedRequest key={request.id} request={request} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}

function FailedRequest({ request }: { request: Item<'requests.list'> }) {
  const path = usePath()
  const {
    id,
    status,
    code,
    reason,
    requested_model: asked,
    provider,
    model,
    key_name: key,
    key_id: keyId,
    started_at,
  } = request
  return (
    <li className={classes['row']} data-link>
      <div className={classes['line']}>
        <StatusBadge status={status} code={code} />
        <Link href={path('requests', id)} className={`${classes['strong']} ${classes['cover']}`}>
          {code === null ? 'Error' : errorText(code)}
        </Link>
        <span className={classes['end']}>
          <Time at={started_at} relative />
        </span>
      </div>
      {reason !== null && <div className={classes['reason']}>{reason}</div>}
      <div className={classes['detail']}>
        <span className="mono">{asked ?? 'no model'}</span>
        {provider !== null && (
          <>
            {' → '}
            <span className="mono">
              {provider}/{model}
            </span>
          </>
        )}
        {' · '}
        {key ?? keyId}
      </div>
    </li>
  )
}
