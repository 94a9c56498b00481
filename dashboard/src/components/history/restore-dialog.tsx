import { Text } from '@mantine/core'
import type { Item } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { changeWords, restorableSettings } from '../../format/changes.ts'
import { Confirm } from '../confirm.tsx'
import { tell } from '../tell.ts'
import { Time } from '../time.tsx'
import classes from './history.module.css'

/** A state that an entry of the audit log recorded. */
export interface Version extends Pick<Item<'audit.list'>, 'id' | 'at' | 'actor' | 'actor_name' | 'resource'> {
  version: 'before' | 'after'
  state: unknown
  words: string[]
}

interface RestoreDialogProps {
  version: Version
  /** Null: it was deleted, and comes back. */
  current: object | null
  onClose: () => void
  onRestored?: (() => void) | undefined
}

/** Shows what a restore changes, and asks. */
export function RestoreDialog({ version, current, onClose, onRestored }: RestoreDialogProps) {
  const { id, at, resource, state, version: side } = version
  const restore = useChange('audit.restore')
  const changes = changeWords(restorableSettings(resource, current), restorableSettings(resource, state))
  return (
    <Confirm
      isOpen
      isHarmless
      onClose={onClose}
      title="Restore this version"
      action="Restore"
      isBusy={restore.isPending}
      error={restore.error}
      onConfirm={() =>
        // A promise also arrives where what was restored has taken the place of this dialog.
        void restore.mutateAsync({ params: { id }, body: { version: side } }).then(
          ({ notes }) => {
            tell(['Version restored.', ...notes].join(' '))
            onClose()
            onRestored?.()
          },
          () => undefined,
        )
      }
    >
      {side === 'before' ? 'The version before ' : 'The version of '}
      <Time at={at} /> becomes the current one. {current === null ? 'It is created again.' : 'This changes:'}
      {changes.length > 0 && (
        <ul className={classes['changes']}>
          {changes.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      <Text size="sm" c="dimmed">
        {resource.startsWith('providers/') ? 'Stored secrets stay as they are. ' : ''}The restore is recorded in the
        audit log, and can be undone the same way.
      </Text>
    </Confirm>
  )
}
