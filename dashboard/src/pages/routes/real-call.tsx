import { Alert, Anchor, Button, Select, Skeleton, Stack, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { Send } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { Reply } from '../../api/client.ts'
import { useAll, useChange } from '../../api/hooks.ts'
import { FactList } from '../../components/fact-list.tsx'
import { Money } from '../../components/money.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { works } from '../../format/key-state.ts'
import { milliseconds } from '../../format/number.ts'
import { cacheText } from '../../format/response-cache.ts'
import { usePath, useWorkspace } from '../../shell/place.ts'
import classes from './routes.module.css'
import { answerText } from './try-body.ts'

/** A real call in the name of a key: its limits, its budget, its line in the log. */
export function RealCall({ body }: { body: Record<string, unknown> | null }) {
  const workspace = useWorkspace()
  const path = usePath()
  const keys = useAll('keys.list', { query: { workspace } })
  const live = keys.data?.filter((candidate) => works(candidate, Date.now()))
  const [chosen, setChosen] = useState<string | null>(null)
  const key = chosen ?? live?.[0]?.id ?? null
  const attempt = useChange('chat.try')
  function send() {
    if (key !== null && body !== null && !attempt.isPending) attempt.mutate({ query: { workspace, key }, body })
  }
  useHotkeys([['mod+Enter', send]], [])
  if (live?.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        A call needs a key, and this workspace has none that works.{' '}
        <Anchor component={Link} inherit underline="always" href={path('keys')}>
          Create one
        </Anchor>
      </Text>
    )
  }
  return (
    <Stack gap="sm">
      <Select
        label="Bill to key"
        data={(live ?? []).map(({ id, name, prefix }) => ({ value: id, label: `${name} · ${prefix}…` }))}
        value={key}
        onChange={setChosen}
        allowDeselect={false}
        searchable
      />
      <Button
        leftSection={<Send size={15} aria-hidden />}
        loading={attempt.isPending}
        disabled={key === null || body === null}
        onClick={send}
        title="Ctrl + Enter"
      >
        Send
      </Button>
      <div aria-live="polite" aria-busy={attempt.isPending}>
        {attempt.isPending && <Skeleton height={60} />}
        {attempt.error !== null && (
          <Alert color="red" variant="light" role="alert">
            {attempt.error.message}
          </Alert>
        )}
        {!attempt.isPending && attempt.data !== undefined && <Answered reply={attempt.data} />}
      </div>
    </Stack>
  )
}

function Answered({ reply: { status, headers, body } }: { reply: Reply<'chat.try'> }) {
  const path = usePath()
  const { text, code } = answerText(body)
  const header = (name: string) => headers[`x-gateway-${name}`]
  const request = header('request-id')
  const verdict = header('cache')
  const others = Object.entries(headers).filter(([name]) => name !== 'x-gateway-request-id')
  return (
    <Stack gap="sm">
      {code === null ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long answer scrolls, and the keyboard must reach it.
        <section className={classes['answer']} aria-label="Answer" tabIndex={0}>
          {text}
        </section>
      ) : (
        <Alert color="red" variant="light" title={<span className="mono">{code}</span>}>
          {text}
        </Alert>
      )}
      <FactList>
        <Pair name="Status">
          <StatusBadge status={status} code={code} />
        </Pair>
        {header('provider') !== undefined && (
          <Pair name="Served by">
            <span className="mono">
              {header('provider')}/{header('model')}
            </span>
            {header('fallback-used') === 'true' && ', by fallback'}
          </Pair>
        )}
        {header('cost-usd') !== undefined && (
          <Pair name="Cost">
            <Money usd={header('cost-usd') ?? null} />
          </Pair>
        )}
        {verdict !== undefined && <Pair name="Response cache">{cacheText(verdict)}</Pair>}
        {header('latency-ms') !== undefined && verdict !== 'hit' && (
          <Pair name="Provider took">{milliseconds(Number(header('latency-ms')))}</Pair>
        )}
        {request !== undefined && (
          <Pair name="Request">
            <Anchor component={Link} inherit underline="always" href={path('requests', request)}>
              Its attempts, step by step
            </Anchor>
          </Pair>
        )}
      </FactList>
      <details>
        <Text component="summary" size="xs" c="dimmed">
          Headers
        </Text>
        <FactList>
          {others.map(([name, value]) => (
            <Pair key={name} name={name}>
              {value}
            </Pair>
          ))}
        </FactList>
      </details>
    </Stack>
  )
}

function Pair({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
