import { Alert, Checkbox, Stack, Textarea, TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import type { Versioned } from '../../api/client.ts'
import { problemAt, problemElsewhere } from '../../api/problem.ts'
import { useLeaveGuard } from '../../components/leave-guard.ts'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { tell } from '../../components/tell.ts'
import { usePath, useWorkspace } from '../../shell/place.ts'
import { CacheFields } from './cache-fields.tsx'
import { ChainEditor } from './chain-editor.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { DefaultsField } from './defaults-field.tsx'
import { LeaveDialog } from './leave-dialog.tsx'
import { RouteActions } from './route-actions.tsx'
import type { Draft, Route } from './route-draft.ts'
import { TrafficLine } from './route-traffic.tsx'
import classes from './routes.module.css'
import { SaveBar } from './save-bar.tsx'
import { type RouteEditorState, useRouteEditor } from './use-route-editor.ts'

export interface RouteEditorProps {
  /** Null for a route that does not exist yet. */
  present: Versioned<Route> | null
  start: Draft
  taken: ReadonlySet<string>
  isDeleted?: boolean
  refetch?: () => Promise<unknown>
  onGoing?: (isGoing: boolean) => void
  /** What stands beside the chain. */
  side: (hasChanges: boolean) => ReactNode
}

export function RouteEditor({ present, start, taken, isDeleted = false, refetch, onGoing, side }: RouteEditorProps) {
  const editor = useRouteEditor(present, start, taken)
  const leaving = useLeaveGuard(editor.hasChanges)
  const [, navigate] = useLocation()
  const path = usePath()
  const workspace = useWorkspace()
  const isReadOnly = present !== null && (present.value.managed_by !== null || present.value.workspace !== workspace)

  async function save(how: 'save' | 'overwrite' = 'save') {
    const saved = await editor[how]()
    if (saved === null) {
      await refetch?.()
      return
    }
    tell(present === null ? `Route '${saved.alias}' created` : `Route '${saved.alias}' saved: the next call uses it`)
    leaving.release()
    if (present === null) navigate(path('routes', saved.alias), { replace: true })
  }
  useHotkeys([['mod+S', () => void (editor.hasChanges && !leaving.isAsking && save())]], [])

  return (
    <Page
      title={present === null ? 'Create a route' : present.value.alias}
      description={present === null ? undefined : <TrafficLine alias={present.value.alias} />}
      actions={
        present === null ? undefined : (
          <RouteActions
            present={present}
            onGoing={onGoing}
            onDeleted={leaving.release}
            hasChanges={editor.hasChanges}
          />
        )
      }
    >
      <div className={classes['columns']}>
        <form
          className={classes['main']}
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (!isReadOnly && (present === null || editor.hasChanges)) void save()
          }}
        >
          <Notices present={present} isOutdated={editor.isOutdated} isDeleted={isDeleted} />
          <Details editor={editor} isNew={present === null} isReadOnly={isReadOnly} />
          <ChainEditor editor={editor} isReadOnly={isReadOnly} />
          {!isReadOnly && <SaveBar editor={editor} isNew={present === null} />}
        </form>
        <div className={classes['side']}>{side(editor.hasChanges)}</div>
      </div>
      <ConflictDialog
        editor={editor}
        present={present}
        start={start}
        isDeleted={isDeleted}
        onOverwrite={() => void save('overwrite')}
      />
      <LeaveDialog leaving={leaving} />
    </Page>
  )
}

function Notices({
  present,
  isOutdated,
  isDeleted,
}: Pick<RouteEditorProps, 'present' | 'isDeleted'> & { isOutdated: boolean }) {
  const workspace = useWorkspace()
  if (present !== null && present.value.workspace !== workspace) {
    return (
      <Alert variant="light" icon={<Info size={16} aria-hidden />}>
        Workspace <span className="mono">{present.value.workspace}</span> shares this route with every workspace: change
        it there, or create a route of the same name here, which is then used instead.
      </Alert>
    )
  }
  if (present?.value.managed_by != null) {
    return (
      <Alert variant="light" icon={<Info size={16} aria-hidden />}>
        This route is set in <span className="mono">switchyard.yaml</span>: change it there. The gateway applies the
        file when it is saved.
      </Alert>
    )
  }
  if (isDeleted) {
    return (
      <Alert variant="light" color="yellow" icon={<Info size={16} aria-hidden />} role="status">
        Someone deleted this route.
      </Alert>
    )
  }
  if (!isOutdated) return null
  return (
    <Alert variant="light" color="yellow" icon={<Info size={16} aria-hidden />} role="status">
      Someone else changed this route. When you save, you can compare and choose.
    </Alert>
  )
}

function Details({ editor, isNew, isReadOnly }: { editor: RouteEditorState; isNew: boolean; isReadOnly: boolean }) {
  const { draft, change, problems, error } = editor
  const isTaken = isNew && error?.status === 412
  const other = error?.status === 412 ? null : problemElsewhere(error, ['description', 'chain', 'cache', 'defaults'])
  return (
    <Panel>
      <Stack gap="sm">
        {isNew && (
          <TextInput
            label="Alias"
            description="What callers send as model"
            value={draft.alias}
            onChange={(event) => change({ ...draft, alias: event.currentTarget.value.trimStart() })}
            error={isTaken ? 'A route with this alias was just created' : problems.alias}
            autoComplete="off"
            spellCheck={false}
            autoFocus={draft.alias === ''}
            maw={420}
            required
          />
        )}
        <Textarea
          label="Description"
          placeholder={isReadOnly ? undefined : 'What it is for, who uses it'}
          value={draft.description}
          onChange={(event) => change({ ...draft, description: event.currentTarget.value })}
          error={problemAt(error, 'description')}
          readOnly={isReadOnly}
          maxLength={1000}
          minRows={1}
          maxRows={5}
          autosize
        />
        <Switches draft={draft} change={change} isReadOnly={isReadOnly} />
        <DefaultsField
          value={draft.defaults}
          onChange={(defaults) => change({ ...draft, defaults })}
          error={problemAt(error, 'defaults')}
          isReadOnly={isReadOnly}
        />
        <CacheFields draft={draft} change={change} isReadOnly={isReadOnly} error={problemAt(error, 'cache')} />
        {other !== null && (
          <Alert color="red" variant="light" role="alert">
            {other}
          </Alert>
        )}
      </Stack>
    </Panel>
  )
}

function Switches({ draft, change, isReadOnly }: Pick<RouteEditorState, 'draft' | 'change'> & { isReadOnly: boolean }) {
  return (
    <>
      <Checkbox
        label="Interchangeable for embeddings"
        description="Otherwise embeddings only fall back to the same model, because vectors of different models can’t be compared"
        checked={draft.interchangeable}
        onChange={(event) => change({ ...draft, interchangeable: event.currentTarget.checked })}
        disabled={isReadOnly}
      />
      <Checkbox
        label="Compact Codex conversations"
        description="Entries that don’t speak the Responses API write a summary when a conversation grows long"
        checked={draft.compaction === 'emulate'}
        onChange={(event) => change({ ...draft, compaction: event.currentTarget.checked ? 'emulate' : 'refuse' })}
        disabled={isReadOnly}
      />
      <Checkbox
        label="Mark prompts for the provider’s cache"
        description="Where a request marks nothing itself; some providers charge for what is written to it"
        checked={draft.promptCache === 'auto'}
        onChange={(event) => change({ ...draft, promptCache: event.currentTarget.checked ? 'auto' : 'keep' })}
        disabled={isReadOnly}
      />
      <Checkbox
        label="Shared with every workspace"
        description="Every workspace without a route of this name can call it"
        checked={draft.shared}
        onChange={(event) => change({ ...draft, shared: event.currentTarget.checked })}
        disabled={isReadOnly}
      />
    </>
  )
}
