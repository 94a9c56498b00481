import { Alert, Badge, Collapse, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ChevronRight } from 'lucide-react'
import type { Reply } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { Money } from '../../components/money.tsx'
import { LoadingRows } from '../../components/states.tsx'
import { CircuitBadge } from '../../components/status.tsx'
import { useWorkspace } from '../../shell/place.ts'
import classes from './routes.module.css'

type Explanation = Reply<'routes.explain'>
type Explained = Explanation['entries'][number]

/** Polled: circuits open and close. */
export function ExplanationView({ alias, body }: { alias: string; body: Record<string, unknown> | null }) {
  const workspace = useWorkspace()
  const input = { params: { alias }, query: { workspace }, body }
  const explanation = useOperation('routes.explain', input, { enabled: body !== null, refetchEvery: 15_000 })
  const { data, error } = explanation
  if (error !== null) {
    return (
      <Alert color="red" variant="light" title={<span className="mono">{error.code}</span>} role="status">
        {error.message}
      </Alert>
    )
  }
  if (data === undefined) return <LoadingRows rows={3} />
  return (
    <Stack gap="sm" aria-live="polite">
      {data.error !== null && (
        <Alert color="red" variant="light" title={<span className="mono">{data.error.code}</span>}>
          {data.error.message}
        </Alert>
      )}
      {data.note !== null && (
        <Text size="sm" c="dimmed">
          {data.note}
        </Text>
      )}
      <ol className={classes['chainList']} style={{ gap: 0 }}>
        {data.entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same entry may stand twice; its place is what it is.
          <li key={index} className={classes['step']}>
            <Step entry={entry} index={index} isBehind={isBehind(data, index)} />
          </li>
        ))}
      </ol>
      <Text size="xs" c="dimmed">
        Set aside before the call, as the most it could cost:{' '}
        {data.hold_usd === null ? 'not known' : <Money usd={data.hold_usd} />}
      </Text>
      {data.advice !== null && (
        <Text size="xs" c="dimmed">
          {data.advice}
        </Text>
      )}
    </Stack>
  )
}

function isBehind({ entries }: Explanation, index: number): boolean {
  const used = entries.findIndex((entry) => entry.would_be_used)
  return used >= 0 && index > used
}

function Step({ entry, index, isBehind }: { entry: Explained; index: number; isBehind: boolean }) {
  return (
    <Stack gap={4}>
      <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm" className="mono" fw={entry.would_be_used ? 650 : 450} style={{ overflowWrap: 'anywhere' }}>
          {index + 1}. {entry.provider}/{entry.model}
        </Text>
        <Verdict entry={entry} isBehind={isBehind} />
      </Group>
      {entry.skipped_because !== null && (
        <Text size="xs" c="var(--warn)">
          {entry.skipped_because}
        </Text>
      )}
      {entry.chosen_because !== null && (
        <Text size="xs" c="dimmed">
          {entry.chosen_because}
        </Text>
      )}
      {entry.circuit !== 'closed' && (
        <Text size="xs" c="dimmed" component="div">
          circuit <CircuitBadge state={entry.circuit} />
        </Text>
      )}
      <Text size="xs" c="dimmed" className="figures">
        {entry.timeout_ms / 1000} s timeout, {entry.retries} {entry.retries === 1 ? 'retry' : 'retries'},{' '}
        {entry.hedge_after_ms !== null && `hedged after ${entry.hedge_after_ms / 1000} s, `}costs at most{' '}
        {entry.hold_usd === null ? 'an unknown amount' : <Money usd={entry.hold_usd} />}
        {entry.ignored.length > 0 && `, without ${entry.ignored.join(', ')}`}
        {entry.adjustments.map(({ field, value, reason }) => `, with ${field} ${value} (${reason})`)}
      </Text>
      {entry.wire !== null && <Wire wire={entry.wire} label={`Request to entry ${index + 1}`} />}
    </Stack>
  )
}

function Verdict({ entry, isBehind }: { entry: Explained; isBehind: boolean }) {
  if (entry.would_be_used) return <Badge color="teal">goes here</Badge>
  if (entry.skipped_because !== null || entry.refused !== null) return <Badge color="yellow">skipped</Badge>
  return <Badge color="gray">{isBehind ? 'if that fails' : 'not used'}</Badge>
}

function Wire({ wire, label }: { wire: NonNullable<Explained['wire']>; label: string }) {
  const [isOpen, { toggle }] = useDisclosure(false)
  const headers = Object.entries(wire.headers).map(([name, value]) => `${name}: ${value}`)
  const code = [`${wire.method} ${wire.url}`, ...headers, '', JSON.stringify(wire.body, null, 2)].join('\n')
  return (
    <div>
      <UnstyledButton onClick={toggle} aria-expanded={isOpen} fz="xs" c="dimmed">
        <Group gap={2} wrap="nowrap">
          <ChevronRight size={13} aria-hidden style={isOpen ? { transform: 'rotate(90deg)' } : {}} />
          What would be sent
        </Group>
      </UnstyledButton>
      <Collapse expanded={isOpen} pt={6}>
        {isOpen && <CodeBlock code={code} label={label} />}
      </Collapse>
    </div>
  )
}
