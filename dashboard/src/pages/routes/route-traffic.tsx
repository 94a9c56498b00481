import { Anchor, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Reply } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import { Money } from '../../components/money.tsx'
import { count, milliseconds, percent } from '../../format/number.ts'
import { isoAt } from '../../format/time.ts'
import { usePath, useWorkspace } from '../../shell/place.ts'

export type Traffic = Reply<'usage.get'>['data'][number]

const DAY_MS = 86_400_000

/** What each route did in the last 24 hours. */
export function useTraffic() {
  const workspace = useWorkspace()
  // To the minute, and the same until the page is opened again: the question stays one question.
  const [from] = useState(() => isoAt(Math.floor(Date.now() / 60_000) * 60_000 - DAY_MS))
  const usage = useOperation('usage.get', { query: { workspace, from, group_by: 'route' } }, { refetchEvery: 30_000 })
  return usage.data === undefined ? undefined : new Map(usage.data.data.map((row) => [row.group, row]))
}

/** The same for one route, as a sentence. */
export function TrafficLine({ alias }: { alias: string }) {
  const path = usePath()
  const traffic = useTraffic()
  if (traffic === undefined) return <Text span>&nbsp;</Text>
  const row = traffic.get(alias)
  if (row === undefined) return <>No calls in the last 24 hours</>
  return (
    <>
      Last 24 hours:{' '}
      <Anchor
        component={Link}
        inherit
        underline="always"
        href={`${path('requests')}?${new URLSearchParams({ route: alias })}`}
      >
        {count(row.requests)} {row.requests === 1 ? 'call' : 'calls'}
      </Anchor>
      , {percent(row.errors, row.requests)} errors, {percent(row.fallbacks, row.requests)} by fallback,{' '}
      <Money usd={row.cost_usd} />, p50 {milliseconds(row.latency_ms.p50)}
      {row.cache_hits > 0 && (
        <>
          , {count(row.cache_hits)} from the cache, <Money usd={row.saved_usd} /> saved
        </>
      )}
    </>
  )
}
