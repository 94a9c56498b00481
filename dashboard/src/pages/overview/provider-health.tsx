import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import type { Reply } from '../../api/client.ts'
import { Panel } from '../../components/panel.tsx'
import { PanelLink } from '../../components/panel-link.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { errorText } from '../../format/error-words.ts'
import { callCount, count } from '../../format/number.ts'
import { localTime } from '../../format/time.ts'
import { usePath } from '../../shell/place.ts'
import { healthOf, type ProviderStatus } from './health.ts'
import classes from './overview.module.css'
import type { StatusQuery } from './use-overview.ts'

/** Who works and who does not: of this process, over all workspaces. */
export function ProviderHealth({ status }: { status: StatusQuery }) {
  const path = usePath()
  return (
    <Panel
      title="Providers"
      description="calls of the last five minutes, all workspaces"
      flush
      actions={<PanelLink href={path('providers')}>All providers</PanelLink>}
    >
      <Loaded query={status}>
        {({ providers }: Reply<'status.get'>) =>
          providers.length === 0 ? (
            <EmptyState title="No providers">Add one, and the gateway has someone to call.</EmptyState>
          ) : (
            <ul className={classes['rows']}>
              {providers.map((provider) => (
                <Provider key={provider.name} provider={provider} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}

function Provider({ provider }: { provider: ProviderStatus }) {
  const path = usePath()
  const { name, circuits, last_error: error, calls_5m: calls, errors_5m: errors } = provider
  const { tone, words } = healthOf(provider)
  return (
    <li className={classes['row']}>
      <div className={classes['line']}>
        <span className={classes['dot']} data-tone={tone} aria-hidden />
        <Link href={path('providers', name)} className={classes['strong']}>
          {name}
        </Link>
        <span className={classes['words']} data-tone={tone}>
          {words}
        </span>
        <span className={`figures ${classes['end']}`}>
          {callCount(calls)}
          {errors > 0 && <span data-tone="bad">, {count(errors)} failed</span>}
        </span>
      </div>
      {circuits.map(({ model, state, until }) => (
        <div key={model} className={classes['detail']}>
          <span className="mono">{model}</span> {state === 'open' ? 'is skipped' : 'is being retried'}
          {until !== null && <span title={localTime(until)}> until {localTime(until).slice(-8)}</span>}
        </div>
      ))}
      {error !== null && (
        <div className={classes['detail']} title={error.message}>
          last error <Time at={error.at} relative />:{' '}
          <Anchor component={Link} href={path('requests', error.request_id)} inherit underline="always">
            {error.status ?? ''} {errorText(error.code)}
          </Anchor>{' '}
          {error.message}
        </div>
      )}
    </li>
  )
}
