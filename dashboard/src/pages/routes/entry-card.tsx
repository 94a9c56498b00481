import { useSortable } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { ActionIcon, Button, NumberInput, Select, Tooltip } from '@mantine/core'
import { ArrowDown, ArrowUp, GripVertical, Link2, Unlink2, X } from 'lucide-react'
import { memo, type ReactNode, useState } from 'react'
import type { Item } from '../../api/client.ts'
import { problemAt } from '../../api/problem.ts'
import { DefaultsField } from './defaults-field.tsx'
import { EntryFacts } from './entry-facts.tsx'
import { GroupBar } from './group-bar.tsx'
import { ModelField } from './model-field.tsx'
import { warningsOf } from './route-checks.ts'
import {
  DEFAULT_RETRIES,
  DEFAULT_TIMEOUT_MS,
  type DraftEntry,
  nameOf,
  standingOf,
  withEntry,
  withJoined,
  withMoved,
  withoutEntry,
  withSeparated,
} from './route-draft.ts'
import classes from './routes.module.css'
import { HEDGE, SecondsField } from './seconds-field.tsx'
import { useModels } from './use-models.ts'
import type { RouteEditorState } from './use-route-editor.ts'

export interface EntryCardProps {
  entry: DraftEntry
  index: number
  editor: RouteEditorState
  providers: readonly Item<'providers.list'>[] | undefined
  catalog: readonly Item<'catalog.list'>[] | undefined
  isReadOnly: boolean
}

/** One entry of the chain: who is called, how long it may take, how often it is tried again. */
export function EntryCard({ entry, index, editor, providers, catalog, isReadOnly }: EntryCardProps) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: entry.id,
    attributes: { roleDescription: 'entry that can be moved' },
  })
  const models = useModels(entry.provider, catalog)
  const known = models?.get(entry.model.trim())
  const name = `entry ${index + 1}, ${nameOf(entry)}`
  const { place, at, sharers, path } = standingOf(editor.draft, entry.id)
  return (
    <li
      ref={setNodeRef}
      className={classes['entry']}
      data-dragging={isDragging || undefined}
      data-read-only={isReadOnly || undefined}
      data-shared={at > 0 || undefined}
      style={{ transform: CSS.Translate.toString(transform), transition }}
    >
      <div className={classes['place']}>
        {!isReadOnly && (
          <ActionIcon
            ref={setActivatorNodeRef}
            className={classes['grip'] ?? ''}
            variant="subtle"
            color="gray"
            size="md"
            {...attributes}
            {...listeners}
            aria-label={`Move ${name}`}
          >
            <GripVertical size={16} aria-hidden />
          </ActionIcon>
        )}
        {at === 0 ? place + 1 : 'or'}
      </div>
      <div>
        {at === 0 && sharers > 1 && <GroupBar entry={entry} editor={editor} isReadOnly={isReadOnly} />}
        <Fields {...{ entry, path, isMember: sharers > 1, editor, providers, isReadOnly }}>
          <ModelField
            value={entry.model}
            models={models}
            onChange={(model) => editor.change(withEntry(editor.draft, entry.id, { model }))}
            error={editor.problems.entries.get(entry.id)?.model ?? problemAt(editor.error, `${path}.model`)}
            isReadOnly={isReadOnly}
          />
        </Fields>
        <EntryDefaults entry={entry} path={path} editor={editor} isReadOnly={isReadOnly} />
        <EntryFacts
          entry={entry}
          known={known}
          warnings={models === undefined ? [] : warningsOf(entry, editor.draft, known)}
        />
      </div>
      {!isReadOnly && <Actions entry={entry} index={index} editor={editor} name={name} />}
    </li>
  )
}

/** Most entries have none: they are asked for by a button. */
function EntryDefaults({
  entry,
  path,
  editor,
  isReadOnly,
}: Pick<FieldsProps, 'entry' | 'path' | 'editor' | 'isReadOnly'>) {
  const [isOpen, setOpen] = useState(entry.defaults !== '')
  if (!isOpen && isReadOnly) return null
  if (!isOpen) {
    return (
      <Button ml={-7} variant="subtle" size="compact-xs" color="gray" onClick={() => setOpen(true)}>
        Default parameters
      </Button>
    )
  }
  return (
    <DefaultsField
      value={entry.defaults}
      onChange={(defaults) => editor.change(withEntry(editor.draft, entry.id, { defaults }))}
      error={problemAt(editor.error, `${path}.defaults`)}
      isReadOnly={isReadOnly}
    />
  )
}

type FieldsProps = Omit<EntryCardProps, 'catalog' | 'index'> & { path: string; isMember: boolean; children: ReactNode }

function Fields({ entry, path, isMember, editor, providers, isReadOnly, children }: FieldsProps) {
  const { problems, error, draft, change } = editor
  const set = (changed: Partial<DraftEntry>) => change(withEntry(draft, entry.id, changed))
  const names = providers?.map(({ name }) => name) ?? []
  const isUnknown = entry.provider !== '' && !names.includes(entry.provider)
  return (
    <div className={classes['fields']}>
      <Select
        className={classes['wide'] ?? ''}
        label="Provider"
        placeholder="Choose"
        data={isUnknown ? [entry.provider, ...names] : names}
        value={entry.provider === '' ? null : entry.provider}
        onChange={(provider) => set({ provider: provider ?? '' })}
        error={problems.entries.get(entry.id)?.provider ?? problemAt(error, `${path}.provider`)}
        readOnly={isReadOnly}
        searchable={names.length > 8 && !isReadOnly}
        {...(isReadOnly ? { rightSection: <span /> } : {})}
        allowDeselect={false}
      />
      {children}
      <SecondsField
        label="Timeout"
        title="For one attempt; in a stream, until the first content"
        placeholder={`${DEFAULT_TIMEOUT_MS / 1000} s`}
        value={entry.timeoutMs}
        onChange={(timeoutMs) => set({ timeoutMs })}
        error={problemAt(error, `${path}.timeout_ms`)}
        readOnly={isReadOnly}
      />
      <SecondsField
        label="Idle timeout"
        title="The longest silence inside a stream"
        placeholder="default"
        value={entry.idleTimeoutMs}
        onChange={(idleTimeoutMs) => set({ idleTimeoutMs })}
        error={problemAt(error, `${path}.idle_timeout_ms`)}
        readOnly={isReadOnly}
      />
      {!isMember && (
        <SecondsField
          label="Hedge after"
          title={HEDGE}
          placeholder="never"
          value={entry.hedgeAfterMs}
          onChange={(hedgeAfterMs) => set({ hedgeAfterMs })}
          error={problemAt(error, `${path}.hedge_after_ms`)}
          readOnly={isReadOnly}
        />
      )}
      <Counts {...{ entry, path, isMember, error, isReadOnly, set }} />
    </div>
  )
}

interface CountsProps extends Pick<FieldsProps, 'entry' | 'path' | 'isMember' | 'isReadOnly'> {
  error: RouteEditorState['error']
  set: (changed: Partial<DraftEntry>) => void
}

function Counts({ entry, path, isMember, error, isReadOnly, set }: CountsProps) {
  return (
    <>
      <NumberInput
        label="Retries"
        placeholder={String(DEFAULT_RETRIES)}
        value={entry.retries ?? ''}
        onChange={(retries) => set({ retries: typeof retries === 'number' ? retries : null })}
        error={problemAt(error, `${path}.retries`)}
        min={0}
        max={10}
        allowDecimal={false}
        clampBehavior="strict"
        readOnly={isReadOnly}
        hideControls={isReadOnly}
      />
      <NumberInput
        label="Max output"
        placeholder="default"
        value={entry.maxOutputTokens ?? ''}
        onChange={(tokens) => set({ maxOutputTokens: typeof tokens === 'number' ? tokens : null })}
        error={problemAt(error, `${path}.max_output_tokens`)}
        min={1}
        max={1_000_000_000}
        thousandSeparator=","
        allowDecimal={false}
        readOnly={isReadOnly}
        hideControls
      />
      {isMember && (
        <NumberInput
          label="Weight"
          title="Its share of the load here; 0: only if the others can’t serve"
          placeholder="1"
          value={entry.weight ?? ''}
          onChange={(weight) => set({ weight: typeof weight === 'number' ? weight : null })}
          error={problemAt(error, `${path}.weight`)}
          min={0}
          max={1000}
          allowDecimal={false}
          clampBehavior="strict"
          readOnly={isReadOnly}
          hideControls={isReadOnly}
        />
      )}
    </>
  )
}

const Actions = memo(function Actions({
  entry,
  index,
  editor: { draft, change },
  name,
}: Pick<EntryCardProps, 'entry' | 'index' | 'editor'> & { name: string }) {
  const { at, sharers } = standingOf(draft, entry.id)
  const actions = [
    { label: 'Move up', icon: ArrowUp, isOff: index === 0, act: () => withMoved(draft, entry.id, index - 1) },
    {
      label: 'Move down',
      icon: ArrowDown,
      isOff: index === draft.chain.length - 1,
      act: () => withMoved(draft, entry.id, index + 1),
    },
    sharers > 1 && at > 0
      ? { label: 'Ungroup', icon: Unlink2, isOff: false, act: () => withSeparated(draft, entry.id) }
      : {
          label: 'Group with the entry above:',
          icon: Link2,
          isOff: index === 0,
          act: () => withJoined(draft, entry.id),
        },
    { label: 'Remove', icon: X, isOff: draft.chain.length === 1, act: () => withoutEntry(draft, entry.id) },
  ]
  return (
    <div className={classes['entryActions']}>
      {actions.map(({ label, icon: Icon, isOff, act }) => (
        <Tooltip key={label} label={label} position="left">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            disabled={isOff}
            onClick={() => change(act())}
            aria-label={`${label} ${name}`}
          >
            <Icon size={14} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ))}
    </div>
  )
})
