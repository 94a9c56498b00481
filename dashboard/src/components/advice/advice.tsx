import { Button, Group, List, Skeleton, Text } from '@mantine/core'
import { useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import { shortUsd } from '../../format/money.ts'
import { count } from '../../format/number.ts'
import { Loaded } from '../states.tsx'

export interface AdviceProps {
  workspace: string
  /** Of a key by its id, or of a route by its alias. */
  of: { key: string } | { route: string }
}

/** What the calls of the last 30 days could have cost less. It reads every row of them, so it is asked for with a click. */
export function Advice({ workspace, of }: AdviceProps) {
  const [isAsked, ask] = useState(false)
  if (isAsked) return <Found workspace={workspace} of={of} />
  return (
    <Group>
      <Button size="xs" variant="default" onClick={() => ask(true)}>
        Show savings
      </Button>
    </Group>
  )
}

function Found({ workspace, of }: AdviceProps) {
  const advice = useOperation('usage.advice', { query: { workspace, ...of } })
  return (
    <Loaded query={advice} loading={<Skeleton height={48} />}>
      {(data) => <Sentences advice={data} />}
    </Loaded>
  )
}

function Sentences({
  advice: { data, requests, paid_usd: paid, left_out: leftOut },
}: {
  advice: Reply<'usage.advice'>
}) {
  const compared = `Last 30 days: ${count(requests)} calls, ${shortUsd(paid)}`
  return (
    <>
      {data.length === 0 ? (
        <Text size="sm">Nothing found that would have cost less.</Text>
      ) : (
        <List size="sm" spacing="xs">
          {data.map(({ kind, route, sentence }) => (
            <List.Item key={`${kind} ${route}`}>{sentence}</List.Item>
          ))}
        </List>
      )}
      <Text size="xs" c="dimmed" mt="xs">
        {compared}
        {leftOut > 0 && `, ${count(leftOut)} left out (unknown price, or tools run by the provider)`}
        {data.length > 1 && '. Savings overlap: do not add them up.'}
      </Text>
    </>
  )
}
