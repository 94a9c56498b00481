import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useOperation } from '../../api/hooks.ts'
import { CopyText } from '../../components/copy.tsx'
import { DetailDrawer, DrawerSection } from '../../components/detail-drawer.tsx'
import { FactList } from '../../components/fact-list.tsx'
import { useMayRestore } from '../../components/history/history.tsx'
import { RestoreDialog } from '../../components/history/restore-dialog.tsx'
import { UndoButton } from '../../components/history/undo-button.tsx'
import { Loaded } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { actorOf, KINDS, nameIn, placeOf, resourceOf } from '../../format/audit-entry.ts'
import { canUndo, changeWords, restorableSettings } from '../../format/changes.ts'
import { usePath, useWorkspace } from '../../shell/place.ts'
import { type AuditEntry, Verb } from './audit-columns.tsx'
import { DifferenceTable } from './difference-table.tsx'
import { ImportedList, isImported } from './imported-list.tsx'

export interface AuditDrawerProps {
  id: string | undefined
  onClose: () => void
  /** Those of the list: what is already there is not asked for again. */
  known: readonly AuditEntry[] | undefined
}

export function AuditDrawer({ id, onClose, known }: AuditDrawerProps) {
  const [isCovered, setCovered] = useState(false)
  const listed = known?.find((entry) => entry.id === id)
  const asked = useOperation('audit.get', { params: { id: id ?? '' } }, { enabled: id !== undefined && !listed })
  const entry = listed ?? (asked.data?.id === id ? asked.data : undefined)
  return (
    <DetailDrawer
      isOpen={id !== undefined}
      isCovered={isCovered}
      onClose={onClose}
      size={720}
      title={entry === undefined ? 'Change' : <Headline entry={entry} />}
    >
      <Loaded query={{ data: entry, error: entry ? null : asked.error, refetch: asked.refetch as never }}>
        {(shown) => <Entry key={shown.id} entry={shown} onCovered={setCovered} />}
      </Loaded>
    </DetailDrawer>
  )
}

function Headline({ entry }: { entry: AuditEntry }) {
  const { resource, before, after, actor, actor_name } = entry
  return (
    <Text fw={650} fz="lg" lineClamp={2}>
      {actorOf(actor, actor_name)} <Verb entry={entry} /> {KINDS[resourceOf(resource).kind]?.one}{' '}
      {nameIn(resource, before, after)}
    </Text>
  )
}

function Entry({ entry, onCovered }: { entry: AuditEntry; onCovered: (isCovered: boolean) => void }) {
  const { before, after } = entry
  return (
    <Stack gap="xl">
      <Facts entry={entry} />
      {isRead(entry) ? null : isImported(after) ? (
        <ImportedList imported={after} />
      ) : before === null || after === null ? (
        <DrawerSection title={before === null ? 'Created as' : 'Deleted'}>
          <DifferenceTable before={before} after={after} />
        </DrawerSection>
      ) : (
        <Changed before={before} after={after} />
      )}
      {after === null && before !== null && <RestoreDeleted entry={entry} onCovered={onCovered} />}
      {after !== null && before !== null && <Undo entry={entry} />}
    </Stack>
  )
}

function Changed({ before, after }: Pick<AuditEntry, 'before' | 'after'>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <DrawerSection title="What changed">
      <Stack gap={4}>
        {changeWords(before, after).map((line) => (
          <Text key={line} size="sm">
            {line}
          </Text>
        ))}
      </Stack>
      <Group>
        <Button ml={-7} variant="subtle" size="compact-xs" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          {isOpen ? 'Hide the fields' : 'Show the fields'}
        </Button>
      </Group>
      {isOpen && <DifferenceTable before={before} after={after} />}
    </DrawerSection>
  )
}

/** The version before this change can come back: it was the last one, and had settings to restore. */
function useMayUndo({ id, resource, workspace, before, after }: AuditEntry): boolean {
  const query = { resource, limit: 1, ...(workspace === null ? {} : { workspace }) }
  const newest = useOperation('audit.list', { query }).data?.data[0]
  const mayRestore = useMayRestore(resource, (after ?? before) as object)
  return newest?.id === id && mayRestore && restorableSettings(resource, before) !== null
}

function Undo({ entry }: { entry: AuditEntry }) {
  const mayUndo = useMayUndo(entry)
  return mayUndo && canUndo(entry) ? <UndoButton id={entry.id} /> : null
}

/** The way back for something without a page; only while nothing has taken its place. */
function RestoreDeleted({ entry, onCovered }: { entry: AuditEntry; onCovered: (isCovered: boolean) => void }) {
  const { before } = entry
  const mayUndo = useMayUndo(entry)
  const [isAsking, setAsking] = useState(false)
  const ask = (isOpen: boolean) => {
    setAsking(isOpen)
    onCovered(isOpen)
  }
  if (!mayUndo) return null
  return (
    <Group>
      <Button variant="default" onClick={() => ask(true)}>
        Restore
      </Button>
      {isAsking && (
        <RestoreDialog
          version={{ ...entry, version: 'before', state: before, words: [] }}
          current={null}
          onClose={() => ask(false)}
        />
      )}
    </Group>
  )
}

/** Something was read; nothing changed. */
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
          {actorOf(actor, actor_name)}
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
            All changes to it
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
