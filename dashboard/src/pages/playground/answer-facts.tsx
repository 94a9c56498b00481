import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Reply } from '../../api/client.ts'
import { StatusBadge } from '../../components/status.tsx'
import { count, milliseconds } from '../../format/number.ts'
import { cacheText } from '../../format/response-cache.ts'
import { usePath } from '../../shell/place.ts'
import { readAnswer, streamedLatency } from './draft.ts'
import classes from './playground.module.css'

type Answered = Reply<'chat.try'>

/** The headers that people look for, by their meaning. */
export function Facts({ answered: { status, headers, body } }: { answered: Answered }) {
  const path = usePath()
  const { usage, finishReason, error } = readAnswer(body)
  const header = (name: string) => headers[`x-gateway-${name}`]
  const id = header('request-id')
  const streamed = streamedLatency(body)
  const latency = streamed ?? header('latency-ms')
  const cost = header('cost-usd')
  const verdict = header('cache')
  return (
    <dl className={classes['facts']}>
      <Pair name="Status">
        <StatusBadge status={status} code={error?.code ?? null} />
      </Pair>
      {header('provider') !== undefined && (
        <Pair name="Served by">
          {header('provider')} · {header('model')}
        </Pair>
      )}
      {header('fallback-used') !== undefined && (
        <Pair name="Fallback">{header('fallback-used') === 'true' ? 'used' : 'not needed'}</Pair>
      )}
      {streamed !== undefined && verdict !== 'hit' && (
        <Pair name="First content">{milliseconds(Number(header('latency-ms')))}</Pair>
      )}
      {verdict !== undefined && <Pair name="Response cache">{cacheText(verdict)}</Pair>}
      {latency !== undefined && verdict !== 'hit' && <Pair name="Provider took">{milliseconds(Number(latency))}</Pair>}
      {cost !== undefined && <Pair name="Cost">${cost}</Pair>}
      {usage !== null && (
        <Pair name="Tokens">
          {count(usage.prompt)} in, {count(usage.completion)} out
        </Pair>
      )}
      {finishReason !== null && <Pair name="Finish reason">{finishReason}</Pair>}
      {id !== undefined && (
        <Pair name="Request">
          <Anchor component={Link} href={path('requests', id)} size="sm">
            Open in the log
          </Anchor>
        </Pair>
      )}
    </dl>
  )
}

export function Pair({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="figures">{children}</dd>
    </div>
  )
}
