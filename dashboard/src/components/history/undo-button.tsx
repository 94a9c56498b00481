import { Button, type ButtonProps, Group, Text } from '@mantine/core'
import { useChange } from '../../api/hooks.ts'
import { tell } from '../tell.ts'

interface UndoButtonProps {
  /** The newest change, in the audit log. */
  id: string
  size?: ButtonProps['size']
  onUndone?: (() => void) | undefined
}

/** In one click: what it takes back is listed beside it, and it can be undone the same way. */
export function UndoButton({ id, size = 'sm', onUndone }: UndoButtonProps) {
  const restore = useChange('audit.restore')
  const undo = () =>
    // A promise also arrives where what was restored has taken the place of this button.
    void restore.mutateAsync({ params: { id }, body: { version: 'before' } }).then(
      ({ notes }) => {
        tell(['Change undone.', ...notes].join(' '))
        onUndone?.()
      },
      () => undefined,
    )
  return (
    <Group>
      <Button variant="default" size={size} loading={restore.isPending} onClick={undo}>
        Undo this change
      </Button>
      {restore.error !== null && (
        <Text size="sm" c="var(--bad)" role="alert">
          {restore.error.message}
        </Text>
      )}
    </Group>
  )
}
