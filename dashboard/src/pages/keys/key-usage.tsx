import { Group, SimpleGrid, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Reply } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { Money } from '../../components/money.tsx'
import { Loaded } from '../../components/states.tsx'
import { shortUsd } from '../../format/money.ts'
import { count, milliseconds, percent, shortCount } from '../../format/number.ts'
import { utcDayName } from '../../format/time.ts'
import { keyDays } from './key-days.ts'
import type { Key } from './key-list.ts'
import classes from './key-usage.module.css'

/** Recent use of the key: enough to see whether it would be missed. */
export function KeyUsage({ of: key }: { of: Pick<Key, 'id' | 'workspace' | 'name'> }) {
  const usage = useOperation('usage.get', { query: { workspace: key.workspace, key: key.id, interval: 'day' } })
  return (
    <DrawerSection title="Last 30 days">
      <Loaded query={usage} loading={<Skeleton height={104} />}>
        {(data) =>
          data.total.requests === 0 ? (
            <Text size="sm" c="dimmed">
              No calls yet.
            </Text>
          ) : (
            <Figures usage={data} name={key.name} />
          )
        }
      </Loaded>
    </DrawerSection>
  )
}

function Figures({ usage, name }: { usage: Reply<'usage.get'>; name: string }) {
  const { total } = usage
  return (
    <>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm">
        <Figure label="Spent" note={total.unpriced_requests > 0 && `${count(total.unpriced_requests)} without a price`}>
          <Money usd={total.cost_usd} />
        </Figure>
        <Figure label="Requests" note={`${percent(total.errors, total.requests)} failed`}>
          {count(total.requests)}
        </Figure>
        <Figure
          label="Tokens"
          note={`${shortCount(total.prompt_tokens)} in, ${shortCount(total.completion_tokens)} out`}
        >
          {shortCount(total.prompt_tokens + total.completion_tokens)}
        </Figure>
        <Figure label="Latency" note="median">
          {milliseconds(total.latency_ms.p50)}
        </Figure>
      </SimpleGrid>
      <DayBars usage={usage} name={name} />
    </>
  )
}

function Figure({ label, note, children }: { label: string; note: ReactNode; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text fw={650} fz="lg" className="figures" component="div" lh={1.35}>
        {children}
      </Text>
      <Text size="xs" c="dimmed" className="figures" component="div">
        {note}
      </Text>
    </div>
  )
}

function DayBars({ usage, name }: { usage: Reply<'usage.get'>; name: string }) {
  const days = keyDays(usage)
  const first = days[0]
  const last = days.at(-1)
  if (first === undefined || last === undefined) return null
  const label = `Spend of ${name} by day, ${utcDayName(first.start)} to ${utcDayName(last.start)}`
  return (
    <div>
      <div className={classes['bars']} role="img" aria-label={label}>
        {days.map(({ start, requests, cost_usd, height }) => (
          <div
            key={start}
            className={classes['bar']}
            title={`${utcDayName(start)}: ${shortUsd(cost_usd)}, ${count(requests)} requests`}
          >
            <div hidden={requests === 0} style={{ height: `${height}%` }} />
          </div>
        ))}
      </div>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {utcDayName(first.start)}
        </Text>
        <Text size="xs" c="dimmed">
          spend by day, UTC
        </Text>
        <Text size="xs" c="dimmed">
          {utcDayName(last.start)}
        </Text>
      </Group>
    </div>
  )
}
