import { Button, Group, Text } from '@mantine/core'
import { MayButton } from '../../components/may-button.tsx'
import { hasProblems } from './route-checks.ts'
import classes from './routes.module.css'
import type { RouteEditorState } from './use-route-editor.ts'

/** Says what would be saved, stays in sight while there is something to save. */
export function SaveBar({ editor, isNew }: { editor: RouteEditorState; isNew: boolean }) {
  const { changes, hasChanges, problems, isBusy, discard } = editor
  if (!isNew && !hasChanges) return null
  return (
    <section className={classes['saveBar']} aria-label="Changes">
      <div>
        {!isNew && (
          <ul className={classes['changes']}>
            {changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
        )}
        {isNew && (
          <Text size="sm" c="dimmed">
            The route works as soon as it is created.
          </Text>
        )}
        {hasProblems(problems) && (
          <Text size="sm" c="var(--bad)" role="alert">
            Some fields need attention.
          </Text>
        )}
      </div>
      <Group gap="xs" ml="auto">
        {!isNew && (
          <Button variant="default" onClick={discard} disabled={isBusy}>
            Discard
          </Button>
        )}
        <MayButton to="routes.put" type="submit" loading={isBusy}>
          {isNew ? 'Create route' : 'Save'}
        </MayButton>
      </Group>
    </section>
  )
}
