import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { isZero } from '../../format/exact.ts'
import { usePath } from '../../shell/place.ts'
import { Difference } from './amount.tsx'
import { type Cause, causeTitle } from './reconciliation-rows.ts'

export interface CausesListProps {
  causes: readonly Omit<Cause, 'examples'>[]
  unexplained: string
}

/** Each cause with its amount and its sentence, and what is left. */
export function CausesList({ causes, unexplained }: CausesListProps) {
  const isExplained = isZero(unexplained)
  return (
    <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
      {causes.map(({ cause, amount_usd: amount, sentence }) => (
        <Line key={cause} title={causeTitle(cause)} amount={amount} text={sentence} />
      ))}
      <Line
        title="Unexplained"
        amount={unexplained}
        isBad={!isExplained}
        text={isExplained ? 'Nothing is left.' : 'No cause is proven for this.'}
      />
    </Stack>
  )
}

function Line({
  title,
  amount,
  text,
  isBad = false,
}: {
  title: string
  amount: string
  text: string
  isBad?: boolean
}) {
  return (
    <li>
      <Group justify="space-between" gap="md" wrap="nowrap" align="baseline">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm" component="div">
          <Difference usd={amount} isBad={isBad} />
        </Text>
      </Group>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {text}
      </Text>
    </li>
  )
}

/** Calls of ours that a cause may be about. */
export function ExampleRequests({ causes }: { causes: readonly Cause[] }) {
  const path = usePath()
  const ids = [...new Set(causes.flatMap(({ examples }) => examples.flatMap(({ request_ids: own }) => own)))]
  if (ids.length === 0) return null
  return (
    <Stack gap={4}>
      {ids.map((id) => (
        <Anchor key={id} component={Link} href={path('requests', id)} size="sm" className="mono">
          {id}
        </Anchor>
      ))}
    </Stack>
  )
}
