import { Badge } from '@mantine/core'
import { keyState, type Lifetime } from '../format/key-state.ts'
import { localTime, relativeTime, utcTime } from '../format/time.ts'

/** Whether a key works, until when, and since when not. */
export function KeyStateBadge({ lifetime }: { lifetime: Lifetime }) {
  const now = Date.now()
  const { expires_at: expires, revoked_at: revoked, paused_at: paused = null } = lifetime
  switch (keyState(lifetime, now)) {
    case 'live':
      return <Badge color="teal">live</Badge>
    case 'expiring':
      return <Until color="yellow" word="expires" at={expires} now={now} />
    case 'paused':
      return <Until color="yellow" word="paused" at={paused} now={now} />
    case 'replaced':
      return <Until color="blue" word="rotated, ends" at={revoked} now={now} />
    case 'expired':
      return <Until color="red" word="expired" at={expires} now={now} />
    case 'revoked':
      return <Until color="gray" word="revoked" at={revoked} now={now} />
  }
}

function Until({ color, word, at, now }: { color: string; word: string; at: string | null; now: number }) {
  if (at === null) return null
  return (
    <Badge color={color} title={`${localTime(at)}\n${utcTime(at)}`}>
      {word} {relativeTime(at, now)}
    </Badge>
  )
}
