import { CircleCheck } from 'lucide-react'
import { Link } from 'wouter'
import type { Item, Reply } from '../../api/client.ts'
import { Panel } from '../../components/panel.tsx'
import { PanelLink } from '../../components/panel-link.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { milliseconds } from '../../format/number.ts'
import { usePath } from '../../shell/place.ts'
import classes from './performance.module.css'
import type { PerformanceView } from './performance-view.ts'
import type { usePerformance } from './use-performance.ts'

export interface SlowestPanelProps {
  view: PerformanceView
  slowest: ReturnType<typeof usePerformance>['slowest']
  requests: (filters: Record<string, string>) => string
}

/** The calls that took longest, whether they were served or not, each leading to its request. */
export function SlowestPanel({ view: { period }, slowest, requests }: SlowestPanelProps) {
  return (
    <Panel
      title="Slowest requests"
      description={period.words}
      flush
      actions={<PanelLink href={requests({ sort: 'slowest' })}>View all, slowest first</PanelLink>}
    >
      <Loaded query={slowest}>
        {({ data }: Reply<'requests.list'>) =>
          data.length === 0 ? (
            <EmptyState title="No calls" icon={CircleCheck}>
              No calls {period.words}.
            </EmptyState>
          ) : (
            <ol className={classes['rows']}>
              {data.map((request) => (
                <SlowRequest key={request.id} request={request} slowestMs={data[0]?.duration_ms ?? 0} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </Panel>
  )
}

function SlowRequest({ request, slowestMs }: { request: Item<'requests.list'>; slowestMs: number }) {
  const path = usePath()
  const { id, duration_ms: duration, requested_model: asked, provider, model, key_name: key, key_id: keyId } = request
  return (
    <li className={classes['row']} data-link>
      <div className={classes['line']}>
        <Link href={path('requests', id)} className={`figures ${classes['strong']} ${classes['cover']}`}>
          {milliseconds(duration)}
        </Link>
        <StatusBadge status={request.status} code={request.code} />
        <span className={classes['end']}>
          <Time at={request.started_at} relative />
        </span>
      </div>
      <div className={classes['track']} aria-hidden>
        <div style={{ width: `${(100 * (duration ?? 0)) / Math.max(slowestMs, 1)}%` }} />
      </div>
      <div className={classes['detail']}>
        {asked ?? 'no model'}
        {provider !== null && ` → ${provider}/${model}`}
        {` · ${key ?? keyId}`}
        {request.attempt_count > 1 && ` · ${request.attempt_count} attempts`}
      </div>
    </li>
  )
}
