import { Alert, Badge, Button, Group, Stack, Switch, Text } from '@mantine/core'
import { Eye } from 'lucide-react'
import { useState } from 'react'
import type { Reply } from '../../../api/client.ts'
import { useChange } from '../../../api/hooks.ts'
import { CodeBlock } from '../../../components/code-block.tsx'
import { DrawerSection } from '../../../components/detail-drawer.tsx'
import { MayButton } from '../../../components/may-button.tsx'
import { Time } from '../../../components/time.tsx'
import { count } from '../../../format/number.ts'
import type { ListedRequest } from '../use-requests.ts'
import classes from './content-section.module.css'
import { DeleteContent } from './delete-content.tsx'
import { ReplayButton } from './replay-button.tsx'
import { turnsOf } from './turns.ts'
import { useHasContent } from './use-content.ts'

type Content = Reply<'requests.content'>
type Body = NonNullable<Content['request']>

/** What the request and its answer said, where its workspace stores that and the reader may see it. */
export function ContentSection({ request }: { request: ListedRequest }) {
  const { id } = request
  const hasContent = useHasContent(request.workspace)
  // Read when asked for, once: every read is recorded in the audit log.
  const read = useChange('requests.content')
  const remove = useChange('requests.delete-content')
  const [isDeleting, setDeleting] = useState(false)
  if (!hasContent) return null
  const content = remove.isSuccess ? undefined : read.data
  const replay = {
    request,
    isBusy: read.isPending,
    read: async () => content ?? (await read.mutateAsync({ params: { id } })),
  }
  return (
    <DrawerSection
      title="Content"
      actions={
        content === undefined ? null : (
          <MayButton
            to="requests.delete-content"
            variant="subtle"
            size="compact-xs"
            c="var(--bad)"
            onClick={() => setDeleting(true)}
          >
            Delete content
          </MayButton>
        )
      }
    >
      {content !== undefined && <Said content={content} />}
      {remove.isSuccess && (
        <Text size="sm" c="dimmed">
          Content deleted. The request stays in the log.
        </Text>
      )}
      {content === undefined && !remove.isSuccess && (
        <Group gap="sm">
          <Button
            variant="default"
            size="xs"
            leftSection={<Eye size={14} aria-hidden />}
            loading={read.isPending}
            onClick={() => read.mutate({ params: { id } })}
          >
            Show what was said
          </Button>
          <ReplayButton {...replay} />
          <Text size="xs" c="dimmed">
            Viewing this is recorded in the audit log.
          </Text>
        </Group>
      )}
      {content !== undefined && (
        <Group gap="sm">
          <ReplayButton {...replay} />
        </Group>
      )}
      {read.error !== null && (
        <Text size="sm" c="dimmed" role="alert">
          {read.error.message}
        </Text>
      )}
      {isDeleting && <DeleteContent id={id} remove={remove} onClose={() => setDeleting(false)} />}
    </DrawerSection>
  )
}

function Said({ content }: { content: Content }) {
  const [isRaw, setRaw] = useState(false)
  const redacted = Object.entries(content.redacted)
  if (content.dropped !== null) {
    return <Alert color="yellow">This request’s content wasn’t stored because the database queue was full.</Alert>
  }
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Group gap={6}>
          {redacted.map(([rule, times]) => (
            <Badge key={rule} variant="default" size="sm" tt="none">
              {rule} redacted × {count(times)}
            </Badge>
          ))}
          <Text size="xs" c="dimmed">
            kept until <Time at={content.expires_at} />
          </Text>
        </Group>
        <Switch size="xs" label="Raw" checked={isRaw} onChange={(event) => setRaw(event.currentTarget.checked)} />
      </Group>
      <Part title="Request" body={content.request} isRaw={isRaw} />
      <Part title="Answer" body={content.answer} isRaw={isRaw} />
    </Stack>
  )
}

function Part({ title, body, isRaw }: { title: string; body: Body | null; isRaw: boolean }) {
  const value: unknown = body?.is_json === true ? JSON.parse(body.text) : null
  const turns = turnsOf(value)
  return (
    <Stack gap={6}>
      <Text size="xs" fw={550} c="dimmed">
        {title}
        {body?.truncated === true && `: the beginning of ${count(body.bytes)} bytes`}
      </Text>
      {body === null ? (
        <Text size="sm" c="dimmed">
          {title === 'Answer' ? 'Nothing was served.' : 'Nothing was stored.'}
        </Text>
      ) : isRaw || turns.length === 0 ? (
        <CodeBlock label={`${title} as stored`} code={value === null ? body.text : JSON.stringify(value, null, 2)} />
      ) : (
        turns.map((turn, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a conversation has no other order, and does not change.
          <div key={index} className={classes['turn']} data-who={turn.who}>
            <div className={classes['who']}>{turn.who}</div>
            <div className={classes['text']}>{turn.text}</div>
          </div>
        ))
      )}
    </Stack>
  )
}
