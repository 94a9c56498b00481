import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { CopyText } from '../../components/copy.tsx'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { Money } from '../../components/money.tsx'
import { Time } from '../../components/time.tsx'
import { loopText } from '../../format/loop-signals.ts'
import { bytes, count, milliseconds } from '../../format/number.ts'
import { cacheText } from '../../format/response-cache.ts'
import { OUTPUT_PARTS, PROMPT_CLASSES } from '../../format/token-classes.ts'
import { usePath } from '../../shell/place.ts'
import { type Fact, Facts } from './facts.tsx'
import { endingText } from './filters.ts'
import { adjustmentText } from './request-words.ts'
import type { ListedRequest } from './use-requests.ts'

/** Every class that the provider counted. */
export function TokensSection({ usage }: { usage: ListedRequest['usage'] }) {
  if (usage === null) return null
  const part = (name: string, tokens: number): Fact | null =>
    tokens === 0 ? null : { name, value: count(tokens), isPart: true }
  return (
    <DrawerSection title="Tokens">
      <Facts
        facts={[
          { name: 'Prompt', value: count(usage.prompt_tokens) },
          ...PROMPT_CLASSES.map(({ label, column }) => part(label, usage[column])),
          { name: 'Completion', value: count(usage.completion_tokens) },
          ...OUTPUT_PARTS.map(({ label, column }) => part(`of these, ${label}`, usage[column])),
          part('of these, reasoning', usage.reasoning_tokens),
          { name: 'Total', value: count(usage.total_tokens) },
        ]}
      />
    </DrawerSection>
  )
}

/** Whether the cache of its route had the answer, and whose it was. */
function cacheFacts({ cache, answer_of: first, saved_usd: saved }: ListedRequest, path: ReturnType<typeof usePath>) {
  if (cache === null) return []
  const facts: Fact[] = [{ name: 'Response cache', value: cacheText(cache) }]
  if (first !== null) {
    const link = (
      <Anchor component={Link} inherit className="mono" href={path('requests', first)}>
        {first}
      </Anchor>
    )
    facts.push({ name: 'Answer of', value: link })
  }
  if (saved !== null) facts.push({ name: 'Saved', value: <Money usd={saved} /> })
  return facts
}

/** Who asked, when, how much went over the wire. */
export function CallSection({ request }: { request: ListedRequest }) {
  const path = usePath()
  const isOver = request.finished_at !== null
  return (
    <DrawerSection title="Call">
      <Facts
        facts={[
          {
            name: 'Key',
            value: (
              <Anchor component={Link} inherit href={path('keys', request.key_id)} title={request.key_id}>
                {request.key_name ?? request.key_id}
              </Anchor>
            ),
          },
          request.endpoint === null ? null : { name: 'Endpoint', value: request.endpoint },
          { name: 'Route', value: <RouteName request={request} /> },
          { name: 'Started', value: <Time at={request.started_at} /> },
          { name: 'Ended', value: request.finished_at === null ? 'not yet' : <Time at={request.finished_at} /> },
          ...streamFacts(request),
          ...cacheFacts(request, path),
          request.loop === null ? null : { name: 'Looks like a loop', value: loopText(request.loop) },
          request.finish_reason === null ? null : { name: 'Finish reason', value: request.finish_reason },
          { name: 'Request', value: isOver ? bytes(request.request_bytes) : '–' },
          { name: 'Answer', value: isOver ? bytes(request.response_bytes) : '–' },
          request.ignored_params.length === 0
            ? null
            : { name: 'Ignored parameters', value: <span className="mono">{request.ignored_params.join(', ')}</span> },
          request.adjustments.length === 0
            ? null
            : { name: 'Adjusted', value: request.adjustments.map(adjustmentText).join(', ') },
          request.idempotency_key
            ? { name: 'Idempotency key', value: <CopyText value={request.idempotency_key} /> }
            : null,
        ]}
      />
    </DrawerSection>
  )
}

const SOURCES: Record<string, string> = {
  provider: 'the provider',
  provider_partial: 'the provider in part, the rest is estimated',
  prompt_held: 'not counted; the answer is estimated and the prompt costs its hold',
  measured: 'the gateway, by length',
  estimated: 'not counted, estimated',
}

/** How a stream went; and of any call, that its tokens were not counted. */
function streamFacts(request: ListedRequest): Fact[] {
  const { streamed, ended, events_sent: events, first_content_ms: first, usage_source: source } = request
  const facts: Fact[] = []
  if (streamed) {
    facts.push({ name: 'Stream', value: ended === null ? 'no content was sent' : endingText(ended) })
    facts.push({ name: 'First content', value: first === null ? '–' : `after ${milliseconds(first)}` })
    facts.push({ name: 'Events sent', value: count(events) })
  }
  if (source !== null && (streamed || source !== 'provider')) {
    facts.push({ name: 'Tokens counted by', value: SOURCES[source] ?? source })
  }
  return facts
}

function RouteName({ request: { route, attempt_count: attempts } }: { request: ListedRequest }) {
  const path = usePath()
  if (route === null) {
    return (
      <Text component="span" inherit c="dimmed">
        {/* Refused before a provider was asked: the name may not have been resolved. */}
        {attempts === 0 ? 'none' : 'none, a direct model id'}
      </Text>
    )
  }
  return (
    <Anchor component={Link} inherit href={path('routes', route)}>
      {route}
    </Anchor>
  )
}
