import { Anchor, Group, Text } from '@mantine/core'
import { Link, useSearch } from 'wouter'
import { TestButton, TestResult, useProviderTest } from '../../components/provider-test.tsx'
import { ManagedBadge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { count } from '../../format/number.ts'
import { usePath } from '../../shell/place.ts'
import { type GatewayStatus, healthOf, type Provider } from './provider-health.ts'
import classes from './providers.module.css'

export interface ProviderCardProps {
  provider: Provider
  /** Undefined while it is asked for. */
  status: GatewayStatus | undefined
  isCurrent: boolean
}

/** One provider: where it is, how it does, and whether it answers. */
export function ProviderCard({ provider, status, isCurrent }: ProviderCardProps) {
  const { name, family, base_url, managed_by } = provider
  const path = usePath()
  const search = useSearch()
  const test = useProviderTest(name)
  return (
    <article className={classes['card']} data-current={isCurrent || undefined} aria-label={name}>
      <div>
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text component="h2" m={0} lh={1.3} truncate>
            <Link
              href={path('providers', name) + (search === '' ? '' : `?${search}`)}
              className={classes['link'] ?? ''}
            >
              {name}
            </Link>
          </Text>
          <ManagedBadge by={managed_by} />
        </Group>
        <span className={`mono ${classes['address']}`} title={base_url ?? undefined}>
          {family} · {base_url ?? 'public address'}
        </span>
      </div>
      <HealthLine name={name} status={status} />
      <Figures name={name} status={status} />
      <div className={classes['foot']}>
        <LastWord name={name} status={status} />
        <span className={classes['above']}>
          <TestButton name={name} test={test} />
        </span>
      </div>
      <TestResult test={test} />
    </article>
  )
}

export function HealthLine({ name, status }: { name: string; status: GatewayStatus | undefined }) {
  const own = status?.providers.find((provider) => provider.name === name)
  if (own === undefined) return <div className={classes['health']}>…</div>
  const list = status?.catalog.find(({ provider }) => provider === name)
  const { tone, text } = healthOf(own, list?.problem ?? null)
  return (
    <div className={classes['health']} data-tone={tone}>
      {text}
    </div>
  )
}

function Figures({ name, status }: { name: string; status: GatewayStatus | undefined }) {
  const own = status?.providers.find((provider) => provider.name === name)
  const list = status?.catalog.find(({ provider }) => provider === name)
  const models = list === undefined || list.read_at === null ? '–' : count(list.models)
  return (
    <dl className={classes['figures']}>
      <div>
        <dt>Calls, 5 min</dt>
        <dd>{own === undefined ? '–' : count(own.calls_5m)}</dd>
      </div>
      <div>
        <dt>Errors, 5 min</dt>
        <dd data-bad={(own !== undefined && own.errors_5m > 0) || undefined}>
          {own === undefined ? '–' : count(own.errors_5m)}
        </dd>
      </div>
      <div>
        <dt>Skipped</dt>
        <dd data-bad={(own !== undefined && own.circuits.length > 0) || undefined}>
          {own === undefined ? '–' : count(own.circuits.length)}
        </dd>
      </div>
      <div>
        <dt>Models listed</dt>
        <dd>{models}</dd>
      </div>
    </dl>
  )
}

function LastWord({ name, status }: { name: string; status: GatewayStatus | undefined }) {
  const path = usePath()
  const own = status?.providers.find((provider) => provider.name === name)
  if (own === undefined) return null
  const { last_success_at: success, last_error: error } = own
  return (
    <Text size="xs" c="dimmed">
      {success !== null && (
        <>
          Last success <Time at={success} relative />
        </>
      )}
      {success !== null && error !== null && ' · '}
      {error !== null && (
        <Anchor
          component={Link}
          inherit
          underline="always"
          className={classes['above']}
          href={path('requests', error.request_id)}
        >
          last error <Time at={error.at} relative />
        </Anchor>
      )}
    </Text>
  )
}
