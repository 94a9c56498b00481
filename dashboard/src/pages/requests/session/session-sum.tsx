import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { useOperation } from '../../../api/hooks.ts'
import { Money } from '../../../components/money.tsx'
import { count } from '../../../format/number.ts'

/** Before every log: a session is summed as a whole, as far as its rows are kept. */
const EVER = '2000-01-01'

export interface SessionSumProps {
  workspace: string
  session: string
  /** Its requests, where they are not in sight. */
  href?: string
}

/** What a session has come to so far, in a sentence; nothing until it is known. */
export function SessionSum({ workspace, session, href }: SessionSumProps) {
  const usage = useOperation('usage.get', { query: { workspace, session, from: EVER } })
  if (usage.data === undefined || usage.isPlaceholderData) return null
  const { requests, cost_usd: cost, unpriced_requests: unpriced } = usage.data.total
  if (requests === 0) return <>No request of this session has ended.</>
  const many = requests === 1 ? 'one request' : `${count(requests)} requests`
  return (
    <>
      This session has cost <Money usd={cost} /> in{' '}
      {href === undefined ? (
        many
      ) : (
        <Anchor component={Link} inherit underline="always" href={href}>
          {many}
        </Anchor>
      )}
      {unpriced > 0 && `, without ${count(unpriced)} of unknown price`}.
    </>
  )
}
