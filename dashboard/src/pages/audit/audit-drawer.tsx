import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useOperation } from '../../api/hooks.ts'
import { CopyText } from '../../components/copy.tsx'
import { DetailDrawer, DrawerSection } from '../../components/detail-drawer.tsx'
import { FactList } from '../../components/fact-list.tsx'
import { Loaded } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { usePath, useWorkspace } from '../../shell/place.ts'
import { type AuditEntry, Verb } from './audit-columns.tsx'
import { OTHER_ACTORS } from './audit-filters.tsx'
import { DifferenceTable } from './difference-table.tsx'
import { ImportedList, isImported } from './imported-list.tsx'
import { KINDS, nameIn, placeOf, resourceOf } from './resource.ts'

export interface AuditDrawerProps {
  id: string | undefined
  onClose: () => void
  /** Those of the list: what is already there is not asked for again. */
  known: readonly AuditEntry[] | undefined
}

export function AuditDrawer({ id, onClose, known }: AuditDrawerProps) {
  const listed = known?.find((entry) => entry.id === id)
  const asked = useOperation('audit.get', { params: { id: id ?? '' } }, { enabled: id !== undefined && !listed })
  const entry = listed ?? (asked.data?.id === id ? asked.data : undefined)
  return (
    <DetailDrawer
      isOpen={id !== undefined}
      onClose={onClose}
      size={720}
      title={entry === undefined ? 'Change' : <Headline entry={entry} />}
    >
      <Loaded query={{ data: entry, error: entry ? null : asked.error, refetch: asked.refetch as never }}>
        {(shown) => <Entry entry={shown} />}
      </Loaded>
    </DetailDrawer>
  )
}

function Headline({ entry }: { entry: AuditEntry }) {
  const { resource, before, after, actor, actor_name } = entry
  return (
    <Text fw={650} fz="lg" lineClamp={2}>
      {OTHER_ACTORS[actor] ?? actor_name} <Verb entry={entry} /> {KINDS[resourceOf(resource).kind]?.one}{' '}
      {nameIn(resource, before, after)}
    </Text>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { before, after } = entry
  const title = before === null ? 'What was made' : after === null ? 'What it was' : 'What changed'
  return (
    <Stack gap="xl">
      <Facts entry={entry} />
      {isRead(entry) ? null : isImported(after) ? (
        <ImportedList imported={after} />
      ) : (
        <DrawerSection title={title}>
          <DifferenceTable before={before} after={after} />
        </DrawerSection>
      )}
    </Stack>
  )
}

/** Somebody has looked at something; nothing is different. */
function isRead({ before, after }: AuditEntry): boolean {
  return before === null && after === null
}

function Facts({ entry }: { entry: AuditEntry }) {
  const { id, at, actor, actor_name, action, workspace, resource, after } = entry
  const path = usePath()
  const current = useWorkspace()
  const place = after === null && !isRead(entry) ? null : placeOf(resource)
  const target = place && `/${[workspace ?? current, ...place].map(encodeURIComponent).join('/')}`
  const only = (name: string, value: string) => `${path('audit')}?${new URLSearchParams({ [name]: value })}`
  return (
    <FactList>
      <dt>When</dt>
      <dd>
        <Time at={at} />{' '}
        <Text span size="sm" c="dimmed">
          (<Time at={at} relative />)
        </Text>
      </dd>
      <dt>Who</dt>
      <dd>
        <Group gap="xs">
          {OTHER_ACTORS[actor] ?? actor_name}
          <Anchor component={Link} href={only('actor', actor)} size="xs">
            Everything they did
          </Anchor>
        </Group>
      </dd>
      <dt>Operation</dt>
      <dd className="mono">{action}</dd>
      <dt>Resource</dt>
      <dd>
        <Group gap="xs">
          {target === null ? (
            <span className="mono">{resource}</span>
          ) : (
            <Anchor component={Link} href={target} className="mono">
              {resource}
            </Anchor>
          )}
          <Anchor component={Link} href={only('resource', resource)} size="xs">
            All of its changes
          </Anchor>
        </Group>
      </dd>
      {workspace !== null && <dt>Workspace</dt>}
      {workspace !== null && <dd>{workspace}</dd>}
      <dt>Entry</dt>
      <dd>
        <CopyText value={id} />
      </dd>
    </FactList>
  )
}
