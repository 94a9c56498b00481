import { Server } from 'lucide-react'
import { Link } from 'wouter'
import type { Interval } from '../../charts/chart-data.ts'
import { spanText, tickText } from '../../charts/time-axis.ts'
import { Panel } from '../../components/panel.tsx'
import { PanelLink } from '../../components/panel-link.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { callCount, count, percent } from '../../format/number.ts'
import { usePath } from '../../shell/place.ts'
import classes from './performance.module.css'
import type { PerformanceView } from './performance-view.ts'
import { cellSpan, type Strip, stripsOf } from './strip.ts'
import type { Health, usePerformance } from './use-performance.ts'

export interface ProvidersPanelProps {
  view: PerformanceView
  providers: ReturnType<typeof usePerformance>['providers']
  requests: (filters: Record<string, string>) => string
}

/** How each provider was over the period: a cell an interval, the higher and redder the more of its calls failed. */
export function ProvidersPanel({ view: { period }, providers, requests }: ProvidersPanelProps) {
  const path = usePath()
  return (
    <Panel
      title="Provider health"
      description={`share of failed calls per ${period.interval}, ${period.words}`}
      flush
      actions={<PanelLink href={path('providers')}>All providers</PanelLink>}
    >
      <Loaded query={providers}>
        {({ data, from, to, interval }: Health) => {
          const every = interval ?? period.interval
          const strips = stripsOf(data, { from, to, interval: every })
          return strips.length === 0 ? (
            <EmptyState title="No provider was called" icon={Server}>
              No calls {period.words}.
            </EmptyState>
          ) : (
            <ul className={classes['rows']}>
              {strips.map((strip) => (
                <ProviderStrip key={strip.provider} strip={strip} interval={every} requests={requests} />
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Panel>
  )
}

interface ProviderStripProps {
  strip: Strip
  interval: Interval
  requests: ProvidersPanelProps['requests']
}

function ProviderStrip({ strip, interval, requests }: ProviderStripProps) {
  const path = usePath()
  const { provider, attempts, failures, rescued, cells, worst, label } = strip
  const [first, last] = [cells[0], cells.at(-1)]
  return (
    <li className={classes['row']}>
      <div className={classes['line']}>
        <Link href={path('providers', provider)} className={classes['strong']}>
          {provider}
        </Link>
        <span className={`figures ${classes['end']}`}>
          {callCount(attempts)}
          {attempts > 0 && ', '}
          {attempts > 0 && <span data-bad={failures > 0 || undefined}>{percent(failures, attempts)} failed</span>}
          {rescued > 0 && `, ${count(rescued)} of them served by another attempt`}
        </span>
      </div>
      <div className={classes['strip']} role="img" aria-label={label} data-thin={cells.length > 60 || undefined}>
        {cells.map(({ start, share, tone, title }) => (
          <span key={start} className={classes['cell']} title={title} data-tone={tone}>
            {share !== null && share > 0 && (
              <span className={classes['share']} style={{ height: `${Math.max(12, 100 * share)}%` }} />
            )}
          </span>
        ))}
      </div>
      <div className={classes['detail']}>
        {first !== undefined && tickText(first.start, interval, cells.length)}
        {worst !== null && (
          <span className={classes['middle']}>
            worst:{' '}
            <Link className={classes['link']} href={requests(cellSpan(worst, interval))}>
              {spanText(worst.start, interval)}
            </Link>
            , {percent(worst.failures, worst.attempts)} of {count(worst.attempts)}
          </span>
        )}
        {last !== undefined && <span>{tickText(last.start, interval, cells.length)}</span>}
      </div>
    </li>
  )
}
