import { Group, Text } from '@mantine/core'
import { count, shortCount } from '../../format/number.ts'
import type { Budget } from './budget-watch.ts'

/** What the last minute has used of the limits, and how many calls run now. */
export function RateUse({ use }: { use: Budget | null }) {
  if (use === null) return null
  const { rpm, tpm, max_parallel: maxParallel } = use.limits
  return (
    <Group gap="sm" wrap="nowrap">
      <Used unit="rpm" used={use.requests_last_minute} limit={rpm} what="requests in the last minute" />
      <Used unit="tpm" used={use.tokens_last_minute} limit={tpm} what="tokens in the last minute" />
      <Used unit="at once" used={use.in_flight} limit={maxParallel} what="calls running now" />
    </Group>
  )
}

function Used(props: { unit: string; used: number; limit: number | undefined; what: string }) {
  const { unit, used, limit, what } = props
  if (limit === undefined) return null
  const color = used >= limit ? 'var(--bad)' : used >= limit * 0.8 ? 'var(--warn)' : 'var(--text-strong)'
  return (
    <Text span size="xs" c="dimmed" className="figures" title={`${count(used)} of ${count(limit)} ${what}`}>
      <Text span inherit c={color} fw={550}>
        {shortCount(used)}
      </Text>
      {` / ${shortCount(limit)} ${unit}`}
    </Text>
  )
}
