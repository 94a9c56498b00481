import { Anchor, Badge, Button, Stack, Text } from '@mantine/core'
import { type ReactNode, useContext, useState } from 'react'
import { Link } from 'wouter'
import type { Item, OperationName } from '../../api/client.ts'
import { usePages } from '../../api/hooks.ts'
import { SessionContext, useRefusal } from '../../api/session.ts'
import { actorOf, resourceOf, verbOf } from '../../format/audit-entry.ts'
import { canUndo, changeWords, restorableSettings } from '../../format/changes.ts'
import { localTime } from '../../format/time.ts'
import { usePath } from '../../shell/place.ts'
import { Loaded, LoadingRows } from '../states.tsx'
import { Time } from '../time.tsx'
import classes from './history.module.css'
import { OlderButton } from './older-button.tsx'
import { RestoreDialog, type Version } from './restore-dialog.tsx'
import { UndoButton } from './undo-button.tsx'

export interface HistoryProps {
  /** As the audit log names it: `routes/fast`. */
  resource: string
  /** Null for what belongs to the whole gateway. */
  workspace: string | null
  /** As it is now; null: it was deleted. */
  current: object | null
  /** A dialog opened above, or closed again. */
  onCovered?: (isCovered: boolean) => void
  onRestored?: () => void
}

type Entry = Item<'audit.list'>

/** Every version of one thing, newest first: what each changed, and the way back to it. */
export function History({ resource, workspace, current, onCovered, onRestored }: HistoryProps) {
  const session = useContext(SessionContext)
  const isVisible = workspace !== null || session === null || (session.role === 'admin' && session.workspaces === null)
  const query = { resource, limit: 10, ...(workspace === null ? {} : { workspace }) }
  const pages = usePages('audit.list', { query }, { enabled: isVisible })
  const path = usePath()
  const mayRestore = useMayRestore(resource, current)
  const [chosen, setChosen] = useState<Version | null>(null)
  const choose = (version: Version | null) => {
    setChosen(version)
    onCovered?.(version !== null)
  }
  if (!isVisible) return <Quiet>Only admins of all workspaces can see this history.</Quiet>
  return (
    <Loaded
      query={{ data: pages.rows, error: pages.error, refetch: pages.refetch as never }}
      loading={<LoadingRows rows={2} />}
    >
      {(entries) => (
        <Stack gap="xs" align="flex-start">
          {entries.length === 0 && <Quiet>No changes recorded.</Quiet>}
          <ol className={classes['versions']}>
            {versionsOf(entries, pages.hasNextPage).map((version, index) => (
              <Row
                key={`${version.id} ${version.version}`}
                version={version}
                isCurrent={index === 0 && isSameAs(version, current)}
                onRestore={mayRestore && !isSameAs(version, current) ? choose : null}
                undo={
                  mayRestore && canUndo(entries[0] as Entry) ? (
                    <UndoButton id={version.id} size="xs" onUndone={onRestored} />
                  ) : null
                }
              />
            ))}
          </ol>
          <OlderButton pages={pages}>Load older versions</OlderButton>
          {entries.length > 0 && (
            <Anchor
              component={Link}
              size="xs"
              href={`${path('audit')}?${new URLSearchParams({ resource, ...(workspace === null ? {} : { workspace }) })}`}
            >
              Show in the audit log
            </Anchor>
          )}
          {chosen !== null && (
            <RestoreDialog version={chosen} current={current} onClose={() => choose(null)} onRestored={onRestored} />
          )}
        </Stack>
      )}
    </Loaded>
  )
}

function Quiet({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}

/** The operation that a restore uses, by the kind of resource. */
const WRITES: Record<string, OperationName> = {
  routes: 'routes.put',
  keys: 'keys.update',
  providers: 'providers.put',
  workspaces: 'workspaces.update',
  registry: 'registry.put',
}

/** Not what the file or the environment manages, and not what was revoked. */
export function useMayRestore(resource: string, current: object | null): boolean {
  const refusal = useRefusal(WRITES[resourceOf(resource).kind] ?? 'audit.restore')
  const { managed_by: owner, revoked_at: revoked } = (current ?? {}) as { managed_by?: string; revoked_at?: string }
  const isOwned = owner === 'config' || owner === 'environment'
  return refusal === undefined && !isOwned && (revoked ?? null) === null
}

function versionsOf(entries: readonly Entry[], hasMore: boolean): Version[] {
  const versions = entries.map(
    (entry): Version => ({ ...entry, version: 'after', state: entry.after, words: wordsOf(entry) }),
  )
  const oldest = entries.at(-1)
  // What was there before the log began, e.g. a built-in price.
  if (hasMore || oldest === undefined || oldest.before === null) return versions
  return [...versions, { ...oldest, version: 'before', state: oldest.before, words: ['Before that'] }]
}

function wordsOf({ action, before, after }: Entry): string[] {
  const words = changeWords(before, after)
  const verb = verbOf(action, before, after)
  return words.length > 0 ? words : [verb.charAt(0).toUpperCase() + verb.slice(1)]
}

function isSameAs({ resource, state }: Version, current: object | null): boolean {
  const [there, then] = [restorableSettings(resource, current), restorableSettings(resource, state)]
  return then === null || (there !== null && changeWords(there, then).length === 0)
}

interface RowProps {
  version: Version
  isCurrent: boolean
  /** Null where it cannot be restored. */
  onRestore: ((version: Version) => void) | null
  /** The way back from the current version. */
  undo: ReactNode
}

function Row({ version, isCurrent, onRestore, undo }: RowProps) {
  const { at, words, actor, actor_name, version: side } = version
  return (
    <li className={classes['version']}>
      <div className={classes['words']}>
        {words.map((line) => (
          <div key={line}>{line}</div>
        ))}
        {side === 'after' && (
          <Text size="xs" c="dimmed" component="div">
            {actorOf(actor, actor_name)} · <Time at={at} />
          </Text>
        )}
      </div>
      {isCurrent && <Badge color="rail">Current</Badge>}
      {isCurrent && undo}
      {onRestore !== null && (
        <Button
          variant="default"
          size="xs"
          onClick={() => onRestore(version)}
          aria-label={`Restore the version ${side === 'before' ? 'before' : 'of'} ${localTime(at)}`}
        >
          Restore
        </Button>
      )}
    </li>
  )
}
