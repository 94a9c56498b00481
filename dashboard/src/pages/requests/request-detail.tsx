import { Alert, Anchor, Skeleton, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { callOrigin } from '../../api/call-origin.ts'
import type { Reply } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { Money } from '../../components/money.tsx'
import { ErrorState } from '../../components/states.tsx'
import { Waterfall } from '../../components/waterfall/waterfall.tsx'
import { count, milliseconds } from '../../format/number.ts'
import { useWorkspace } from '../../shell/place.ts'
import { AttributionSection } from './attribution-section.tsx'
import { ContentSection } from './content/content-section.tsx'
import { CostSection } from './cost-section.tsx'
import { curlOf } from './curl.ts'
import { CallSection, TokensSection } from './facts-sections.tsx'
import classes from './request-detail.module.css'
import { durationOf, durationText, withoutReason } from './request-words.ts'
import type { ListedRequest } from './use-requests.ts'
import { WhySection } from './why-section.tsx'

export type OpenedRequest = Reply<'requests.get'>

/** How often a running request is looked at. */
const LOOK_EVERY_MS = 1_000

/** A request by its id; what the list knows of it is shown until the rest is there. */
export function useOpened(id: string, listed: ListedRequest | undefined) {
  const [isRunning, setRunning] = useState(false)
  const opened = useOperation(
    'requests.get',
    { params: { id } },
    { refetchEvery: isRunning ? LOOK_EVERY_MS : undefined },
  )
  const full = opened.data?.id === id ? opened.data : undefined
  const request = full ?? listed
  useEffect(() => setRunning(request?.state === 'open'), [request?.state])
  const error = full === undefined && !opened.isPlaceholderData ? opened.error : null
  return { request, full, error, refetch: () => void opened.refetch() }
}

/** Everything that is known of a request, the most asked for first. */
export function RequestDetail({ id, listed }: { id: string; listed: ListedRequest | undefined }) {
  const { request, full, error, refetch } = useOpened(id, listed)
  const explain = useOperation('requests.explain', { params: { id } }, { enabled: request?.state === 'closed' })
  const explained = explain.data?.id === id ? explain.data : undefined
  if (error !== null && request === undefined) {
    return (
      <>
        <ErrorState error={error} retry={refetch} />
        <Text size="sm" c="dimmed" ta="center">
          Requests are deleted after the retention period. Their totals stay in Usage.
        </Text>
      </>
    )
  }
  if (request === undefined) return <Waiting />
  return (
    <Stack gap="xl">
      <OtherWorkspace request={request} />
      <WhySection request={request} />
      <Figures request={request} />
      <AttemptsSection request={request} full={full} explained={explained} />
      {request.state === 'closed' && <CostSection request={request} explained={explained} />}
      <ContentSection key={request.id} request={request} />
      <AttributionSection request={request} />
      <div className={classes['columns']}>
        <TokensSection usage={request.usage} />
        <CallSection request={request} />
      </div>
      {request.requested_model !== null && (
        <DrawerSection title="Repeat this call">
          <Text size="xs" c="dimmed">
            Add your messages to the command.
          </Text>
          <CodeBlock
            label="The same call with curl"
            code={curlOf(callOrigin(), request.requested_model, request.endpoint)}
          />
        </DrawerSection>
      )}
    </Stack>
  )
}

function Waiting() {
  return (
    <Stack role="status" aria-label="Loading">
      <Skeleton height={56} />
      <Skeleton height={140} />
      <Skeleton height={110} />
    </Stack>
  )
}

function OtherWorkspace({ request }: { request: ListedRequest }) {
  const workspace = useWorkspace()
  if (request.workspace === workspace) return null
  return (
    <Alert color="blue">
      <Text size="sm">
        This request belongs to workspace <b>{request.workspace}</b>.{' '}
        <Anchor
          component={Link}
          inherit
          underline="always"
          href={`/${encodeURIComponent(request.workspace)}/requests/${encodeURIComponent(request.id)}`}
        >
          Open it there
        </Anchor>
      </Text>
    </Alert>
  )
}

/** How long a request has taken so far, by the clock of this browser. */
function elapsedOf(request: ListedRequest): number {
  return durationOf(request) ?? Math.max(0, Date.now() - Date.parse(request.started_at))
}

function Figures({ request }: { request: ListedRequest }) {
  const { usage } = request
  const isOpen = request.state === 'open'
  const duration = isOpen ? elapsedOf(request) : durationOf(request)
  const unpriced = usage !== null && request.cost_usd === null
  return (
    <dl className={classes['figures']}>
      <Figure name={isEstimate(request) ? 'Cost, estimated' : 'Cost'}>
        {unpriced ? 'unpriced' : <Money usd={request.cost_usd} />}
      </Figure>
      <Figure name={isOpen ? 'Running for' : 'Duration'}>{durationText(duration)}</Figure>
      {request.first_content_ms === null ? (
        <Figure name="Gateway">{isOpen ? '–' : milliseconds(request.gateway_ms)}</Figure>
      ) : (
        <Figure name="First content">{milliseconds(request.first_content_ms)}</Figure>
      )}
      <Figure name="Tokens in → out">
        {usage === null ? '–' : `${count(usage.prompt_tokens)} → ${count(usage.completion_tokens)}`}
      </Figure>
    </dl>
  )
}

function isEstimate({ usage_source: source, cost_usd: cost }: ListedRequest): boolean {
  return cost !== null && source !== null && source !== 'provider'
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="figures">{children}</dd>
    </div>
  )
}

interface AttemptsProps {
  request: ListedRequest
  full: OpenedRequest | undefined
  explained: Reply<'requests.explain'> | undefined
}

function AttemptsSection({ request, full, explained }: AttemptsProps) {
  const [asked] = explained?.steps ?? []
  const ending = explained?.steps.at(-1)
  const isUnseen = request.code === 'interrupted'
  return (
    <DrawerSection title="Attempts">
      {asked !== undefined && (
        <Text size="sm" c="dimmed">
          {asked}
        </Text>
      )}
      {request.state === 'open' && (
        <Text size="sm" c="dimmed">
          The call is running. Its attempts are logged when it ends.
        </Text>
      )}
      {full === undefined ? (
        <Skeleton height={72} />
      ) : (
        !isUnseen && (
          <Waterfall
            attempts={full.attempts}
            elapsedMs={elapsedOf(full)}
            gatewayMs={full.gateway_ms}
            isRunning={full.state === 'open'}
            firstContentMs={full.first_content_ms}
          />
        )
      )}
      {ending !== undefined && (
        <Text size="sm" fw={550}>
          {withoutReason(ending, request.reason)}
        </Text>
      )}
    </DrawerSection>
  )
}
