import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Versioned } from '../../api/client.ts'
import { changesBetween, recognised } from './route-changes.ts'
import { type Draft, draftOf, type Route } from './route-draft.ts'
import classes from './routes.module.css'
import type { RouteEditorState } from './use-route-editor.ts'

export interface ConflictDialogProps {
  editor: RouteEditorState
  /** What is there now. */
  present: Versioned<Route> | null
  start: Draft
  isDeleted: boolean
  onOverwrite: () => void
}

/** The gateway refused to overwrite what another person has saved in the meantime. */
export function ConflictDialog({ editor, present, isDeleted, onOverwrite }: ConflictDialogProps) {
  const [closedFor, setClosedFor] = useState<unknown>(null)
  // Without anything present there is nothing to choose between: a new route's alias was taken, which its field says.
  const isOpen = editor.error?.status === 412 && closedFor !== editor.error && (present !== null || isDeleted)
  return (
    <Modal
      opened={isOpen}
      onClose={() => setClosedFor(editor.error)}
      title="Someone else changed this route"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        {isDeleted || present === null ? (
          <Text size="sm">It was deleted while you were editing. Saving creates it again.</Text>
        ) : (
          <Theirs draft={editor.draft} theirs={draftOf(present.value)} />
        )}
        <Group justify="flex-end">
          {!isDeleted && (
            <Button variant="default" onClick={editor.discard} data-autofocus>
              Load theirs
            </Button>
          )}
          <Button color="red.9" loading={editor.isBusy} onClick={onOverwrite}>
            {isDeleted ? 'Create it again' : 'Overwrite with mine'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Theirs({ draft, theirs }: { draft: Draft; theirs: Draft }) {
  const differences = changesBetween(recognised(draft, theirs), draft)
  if (differences.length === 0) return <Text size="sm">They saved the same settings.</Text>
  return (
    <div>
      <Text size="sm" pb={6}>
        It was saved while you were editing. Compared with their version, yours would change:
      </Text>
      <ul className={classes['changes']}>
        {differences.map((difference) => (
          <li key={difference}>{difference}</li>
        ))}
      </ul>
    </div>
  )
}
