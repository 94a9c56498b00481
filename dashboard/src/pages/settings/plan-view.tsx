import { Badge, Group, Stack, Text } from '@mantine/core'
import classes from './plan-view.module.css'
import { type ConfigChange, KINDS, planSummary, valueText } from './plan-words.ts'

export interface PlanViewProps {
  changes: readonly ConfigChange[]
  unchanged: number
  not_in_file: readonly Pick<ConfigChange, 'workspace' | 'resource'>[]
}

/** What applying a file changes, object by object, field by field. */
export function PlanView({ changes, unchanged, not_in_file: left }: PlanViewProps) {
  const kinds = [...new Set(changes.map(({ kind }) => kind))]
  return (
    <Stack gap="sm">
      <Text size="sm" fw={550} role="status">
        {planSummary(changes, unchanged)}
      </Text>
      {changes.length > 0 && (
        <ul className={classes['changes']} aria-label="Changes">
          {changes.map((change) => (
            <Change key={`${change.workspace} ${change.resource} ${change.kind}`} change={change} />
          ))}
        </ul>
      )}
      {kinds.length > 0 && (
        <Text size="xs" c="dimmed">
          {kinds.map((kind) => `${KINDS[kind].word}: ${KINDS[kind].meaning}`).join(' · ')}
        </Text>
      )}
      {left.length > 0 && (
        <Text size="sm">
          Not in the file, left alone:{' '}
          <span className="mono">
            {left
              .map(({ workspace, resource }) => (workspace === null ? resource : `${workspace}: ${resource}`))
              .join(', ')}
          </span>
        </Text>
      )}
    </Stack>
  )
}

function Change({ change: { kind, workspace, resource, fields } }: { change: ConfigChange }) {
  return (
    <li>
      <Group gap="sm" wrap="nowrap" align="baseline">
        <Badge color={KINDS[kind].color} miw={78} flex="none">
          {KINDS[kind].word}
        </Badge>
        <Text size="sm" className="mono" fw={600}>
          {resource}
        </Text>
        {workspace !== null && (
          <Text size="xs" c="dimmed">
            in {workspace}
          </Text>
        )}
      </Group>
      {fields.length > 0 && (
        <dl className={classes['fields']}>
          {fields.map(({ field, before, after }) => (
            <div key={field}>
              <dt>{field}</dt>
              <dd>
                {kind !== 'create' && <del title={valueText(before)}>{valueText(before)}</del>}
                {kind !== 'delete' && <ins title={valueText(after)}>{valueText(after)}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  )
}
