import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import { FactList } from '../../components/fact-list.tsx'
import { CircuitBadge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { count } from '../../format/number.ts'
import { usePath } from '../../shell/place.ts'
import type { GatewayStatus, ProviderStatus } from './provider-health.ts'
import classes from './providers.module.css'

/** What this process has seen of a provider. */
export function ProviderRecord({ name, status }: { name: string; status: GatewayStatus | undefined }) {
  const path = usePath()
  const own = status?.providers.find((provider) => provider.name === name)
  const list = status?.catalog.find(({ provider }) => provider === name)
  if (own === undefined) return null
  const { calls_5m, errors_5m, last_success_at, last_error } = own
  return (
    <>
      <FactList>
        <dt>Last five minutes</dt>
        <dd>
          {count(calls_5m)} {calls_5m === 1 ? 'call' : 'calls'}, {count(errors_5m)} failed{' '}
          <Anchor component={Link} size="xs" href={`${path('requests')}?provider=${encodeURIComponent(name)}`}>
            Its requests
          </Anchor>
        </dd>
        <dt>Last success</dt>
        <dd>{last_success_at === null ? 'none since the start' : <Time at={last_success_at} relative />}</dd>
        {list !== undefined && <dt>List of models</dt>}
        {list !== undefined && (
          <dd>
            {list.problem ??
              (list.read_at === null ? (
                'not read yet'
              ) : (
                <>
                  {count(list.models)} models, read <Time at={list.read_at} relative />
                </>
              ))}
          </dd>
        )}
      </FactList>
      <Circuits circuits={own.circuits} />
      {last_error !== null && <LastError error={last_error} />}
    </>
  )
}

function Circuits({ circuits }: { circuits: ProviderStatus['circuits'] }) {
  if (circuits.length === 0) return null
  return (
    <div className={classes['error']}>
      <Text size="xs" fw={600} mb={4}>
        Skipped for now, if another entry can serve
      </Text>
      {circuits.map(({ model, state, until }) => (
        <Group key={model} gap="xs" py={2}>
          <span className="mono">{model}</span>
          <CircuitBadge state={state} />
          {until !== null && (
            <span>
              until <Time at={until} />
            </span>
          )}
        </Group>
      ))}
    </div>
  )
}

function LastError({ error }: { error: NonNullable<ProviderStatus['last_error']> }) {
  const path = usePath()
  const { at, model, code, status, message, request_id } = error
  return (
    <div className={classes['error']}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="xs" fw={600}>
          Last error, <Time at={at} relative />
        </Text>
        <Anchor component={Link} size="xs" href={path('requests', request_id)}>
          The request
        </Anchor>
      </Group>
      <div>
        <span className="mono">{model}</span> answered{' '}
        {status === null ? 'nothing' : <span className="figures">{status}</span>} (<span className="mono">{code}</span>
        ):
      </div>
      <div>{message}</div>
    </div>
  )
}
