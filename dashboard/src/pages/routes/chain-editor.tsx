import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { Button, Text } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useAll } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { Panel } from '../../components/panel.tsx'
import { useWorkspace } from '../../shell/place.ts'
import { EntryCard } from './entry-card.tsx'
import { type Draft, MOST_PLACES, nameOf, placesOf, withMoved, withNewEntry } from './route-draft.ts'
import classes from './routes.module.css'
import type { RouteEditorState } from './use-route-editor.ts'

const INSTRUCTIONS = {
  draggable: 'Press space to pick up the entry, arrow keys to move it, space to drop it, escape to cancel.',
}

export function ChainEditor({ editor, isReadOnly }: { editor: RouteEditorState; isReadOnly: boolean }) {
  const { draft, change, error } = editor
  const workspace = useWorkspace()
  const providers = useAll('providers.list', {})
  const catalog = useAll('catalog.list', { query: { workspace } })
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  function drop({ active, over }: DragEndEvent) {
    if (over === null) return
    change(withMoved(draft, Number(active.id), placeOf(draft, over.id)))
  }
  const ids = draft.chain.map(({ id }) => id)
  return (
    <Panel
      title="Chain"
      description="Called in this order; the first that answers serves the call. Entries can be grouped to share load."
      actions={isReadOnly ? undefined : <AddEntry draft={draft} change={change} />}
    >
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        modifiers={[upAndDown]}
        onDragEnd={drop}
        accessibility={{ announcements: announcementsOf(draft), screenReaderInstructions: INSTRUCTIONS }}
      >
        <SortableContext items={ids} strategy={verticalListSortingStrategy} disabled={isReadOnly}>
          <ol className={classes['chainList']}>
            {draft.chain.map((entry, index) => (
              <EntryCard
                key={entry.id}
                entry={entry}
                index={index}
                editor={editor}
                providers={providers.data}
                catalog={catalog.data}
                isReadOnly={isReadOnly}
              />
            ))}
          </ol>
        </SortableContext>
      </DndContext>
      {draft.chain.length === 0 && (
        <Text size="sm" c={problemAt(error, 'chain') === undefined ? 'dimmed' : 'var(--bad)'}>
          A chain needs at least one entry.
        </Text>
      )}
    </Panel>
  )
}

function AddEntry({ draft, change }: Pick<RouteEditorState, 'draft' | 'change'>) {
  const isFull = placesOf(draft).length >= MOST_PLACES
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<Plus size={14} aria-hidden />}
      disabled={isFull}
      title={isFull ? `A chain has at most ${MOST_PLACES} places` : undefined}
      onClick={() => change(withNewEntry(draft))}
    >
      Add entry
    </Button>
  )
}

function upAndDown({ transform }: { transform: { x: number; y: number; scaleX: number; scaleY: number } }) {
  return { ...transform, x: 0 }
}

function placeOf(draft: Draft, id: UniqueIdentifier): number {
  return draft.chain.findIndex((entry) => entry.id === Number(id))
}

/** What a screen reader says while an entry is moved. */
function announcementsOf(draft: Draft): Announcements {
  const name = (id: UniqueIdentifier) => {
    const entry = draft.chain[placeOf(draft, id)]
    return entry === undefined ? 'The entry' : nameOf(entry)
  }
  const place = (id: UniqueIdentifier) => `place ${placeOf(draft, id) + 1} of ${draft.chain.length}`
  // The list announces at once that an entry is over itself: the same text, or the first announcement would be lost.
  const lifted = (id: UniqueIdentifier) => `${name(id)} picked up at ${place(id)}.`
  return {
    onDragStart: ({ active }) => lifted(active.id),
    onDragOver({ active, over }) {
      if (over === null) return undefined
      return over.id === active.id ? lifted(active.id) : `${name(active.id)} is over ${place(over.id)}.`
    },
    onDragEnd: ({ active, over }) =>
      over === null ? `${name(active.id)} returned.` : `${name(active.id)} dropped at ${place(over.id)}.`,
    onDragCancel: ({ active }) => `${name(active.id)} stays at ${place(active.id)}.`,
  }
}
