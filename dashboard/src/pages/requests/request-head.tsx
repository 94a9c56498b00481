import { ActionIcon, Group, Text, Tooltip } from '@mantine/core'
import { ChevronDown, ChevronUp, Link2 } from 'lucide-react'
import { CopyIcon } from '../../components/copy.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { usePath } from '../../shell/place.ts'
import { CopyCurl } from './content/copy-curl.tsx'
import classes from './request-detail.module.css'
import { endingOf } from './request-words.ts'
import type { ListedRequest } from './use-requests.ts'

const COLORS = { good: 'var(--good)', warn: 'var(--warn)', bad: 'var(--bad)', calm: 'dimmed' }

export interface RequestHeadProps {
  id: string
  request: ListedRequest | undefined
  /** Given where the head is not inside a heading already. */
  titleId?: string
}

/** What it is, at a glance: how it ended, what was asked for, who served it, when. */
export function RequestHead({ id, request, titleId }: RequestHeadProps) {
  const Heading = titleId === undefined ? 'div' : 'h2'
  const path = usePath()
  const ending = request === undefined ? null : endingOf(request)
  return (
    <div className={classes['head']}>
      <Group gap="xs" mb={4} wrap="wrap">
        {request !== undefined && <StatusBadge status={request.status} code={request.code} />}
        {request?.code != null && <span className="mono">{request.code}</span>}
        {ending !== null && (
          <Text size="sm" fw={550} c={COLORS[ending.tone]}>
            {ending.title}
          </Text>
        )}
      </Group>
      <Heading className={classes['title']} {...(titleId === undefined ? {} : { id: titleId })}>
        {request === undefined ? 'Request' : titleOf(request)}
      </Heading>
      <Group gap={6} mt={2}>
        <Text size="xs" c="dimmed" component="span">
          {request !== undefined && (
            <>
              <Time at={request.started_at} /> ·{' '}
            </>
          )}
          <span className="mono">{id}</span>
        </Text>
        <CopyIcon value={id} label="Copy the id" />
        <CopyLink value={`${window.location.origin}/dashboard${path('requests', id)}`} />
        {request?.requested_model != null && <CopyCurl request={request} model={request.requested_model} />}
      </Group>
    </div>
  )
}

function titleOf({ requested_model: requested, route, provider, model }: ListedRequest): string {
  const served = provider === null ? null : `${provider}/${model}`
  if (served === null) return requested ?? 'No model could be read'
  return route === null && requested === model ? served : `${requested ?? 'no model'} → ${served}`
}

function CopyLink({ value }: { value: string }) {
  return <CopyIcon value={value} label="Copy a link to this request" icon={Link2} />
}

export interface StepButtonsProps {
  onNewer: (() => void) | null
  onOlder: (() => void) | null
}

/** The neighbours in the list, also by keyboard. */
export function StepButtons({ onNewer, onOlder }: StepButtonsProps) {
  return (
    <Group gap={4} wrap="nowrap">
      <Tooltip label="Newer (k)">
        <ActionIcon
          variant="default"
          aria-label="Newer request"
          disabled={onNewer === null}
          onClick={() => onNewer?.()}
        >
          <ChevronUp size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Older (j)">
        <ActionIcon
          variant="default"
          aria-label="Older request"
          disabled={onOlder === null}
          onClick={() => onOlder?.()}
        >
          <ChevronDown size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}
