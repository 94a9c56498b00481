import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { Activity, FlaskConical, Pencil, Plus } from 'lucide-react'
import { Link } from 'wouter'
import { callOrigin } from '../../api/call-origin.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { CopyIcon } from '../../components/copy.tsx'
import { DetailDrawer } from '../../components/detail-drawer.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { usePath } from '../../shell/place.ts'
import classes from './catalog.module.css'
import { CatalogEntryFacts } from './catalog-entry-facts.tsx'
import type { CatalogItem } from './catalog-list.ts'

/** Everything about one id, beside the list. */
export function CatalogDrawer({
  id,
  items,
  onClose,
}: {
  id: string | undefined
  items: readonly CatalogItem[]
  onClose: () => void
}) {
  const item = items.find((candidate) => candidate.id === id)
  return (
    <DetailDrawer
      isOpen={id !== undefined}
      onClose={onClose}
      title={
        <Group gap={6} wrap="nowrap">
          <Text component="span" fw={650} className="mono" fz="lg" style={{ overflowWrap: 'anywhere' }}>
            {id}
          </Text>
          {id !== undefined && <CopyIcon value={id} label={`Copy ${id}`} />}
        </Group>
      }
    >
      {id !== undefined && item === undefined && (
        <EmptyState title="Not in the catalog">
          It is no alias of this workspace, and no provider listed it when the gateway started. A call with it still
          works when its beginning leads to a provider that knows it.
        </EmptyState>
      )}
      {item !== undefined && <Details item={item} />}
    </DetailDrawer>
  )
}

function Details({ item }: { item: CatalogItem }) {
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Group gap="xs">
          <Badge color={item.kind === 'alias' ? 'rail' : 'gray'}>{item.kind === 'alias' ? 'alias' : 'direct id'}</Badge>
          <Text size="xs" c="dimmed">
            {item.kind === 'alias' ? 'created ' : 'since '}
            <Time at={item.created_at} />
          </Text>
        </Group>
        {item.description !== null && <Text size="sm">{item.description}</Text>}
      </Stack>
      <Actions item={item} />
      <section aria-label={item.kind === 'alias' ? 'Chain' : 'Model'}>
        {item.kind === 'alias' && (
          <Text size="sm" c="dimmed" pb="sm">
            A call goes to the first entry that can serve it, and to the next when that fails.
          </Text>
        )}
        {item.chain.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same entry may stand twice; its place is what it is.
          <div key={index} className={classes['entry']}>
            <CatalogEntryFacts entry={entry} position={item.kind === 'alias' ? index + 1 : null} />
          </div>
        ))}
      </section>
      <CodeBlock label="The call as curl" code={curlOf(item.id)} />
    </Stack>
  )
}

function Actions({ item }: { item: CatalogItem }) {
  const path = usePath()
  const { id, chain } = item
  const entry = chain[0]
  const filter = item.kind === 'alias' ? new URLSearchParams({ route: id }) : new URLSearchParams({ model: id })
  const isAlias = item.kind === 'alias'
  const fresh = new URLSearchParams({ new: '1', provider: entry?.provider ?? '', model: entry?.model ?? '' })
  return (
    <Group gap="xs">
      <Button
        component={Link}
        size="xs"
        href={`${path('playground')}?${new URLSearchParams({ model: id })}`}
        leftSection={<FlaskConical size={14} aria-hidden />}
      >
        Try in the playground
      </Button>
      <Button
        component={Link}
        size="xs"
        variant="default"
        href={isAlias ? path('routes', id) : `${path('routes')}?${fresh}`}
        leftSection={isAlias ? <Pencil size={14} aria-hidden /> : <Plus size={14} aria-hidden />}
      >
        {isAlias ? 'Open the route' : 'New route to it'}
      </Button>
      <Button
        component={Link}
        size="xs"
        variant="default"
        href={`${path('requests')}?${filter}`}
        leftSection={<Activity size={14} aria-hidden />}
      >
        Requests
      </Button>
    </Group>
  )
}

function curlOf(id: string): string {
  const body = JSON.stringify({ model: id, messages: [{ role: 'user', content: 'Hello' }] })
  return [
    `curl ${callOrigin()}/v1/chat/completions \\`,
    '  -H "authorization: Bearer $GATEWAY_KEY" \\',
    '  -H "content-type: application/json" \\',
    `  -d '${body}'`,
  ].join('\n')
}
