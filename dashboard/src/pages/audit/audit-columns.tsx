import { Text } from '@mantine/core'
import { Link } from 'wouter'
import type { Item } from '../../api/client.ts'
import type { Column } from '../../components/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { actorOf, KINDS, nameIn, resourceOf, verbOf } from '../../format/audit-entry.ts'
import { changeWords } from '../../format/changes.ts'
import classes from './audit.module.css'

export type AuditEntry = Item<'audit.list'>

export function columnsOf(address: (id: string) => string): Column<AuditEntry>[] {
  return [
    {
      name: 'at',
      title: 'Time',
      cell: ({ id, at }) => (
        <Link className="row-link" href={address(id)}>
          <Time at={at} />
        </Link>
      ),
    },
    { name: 'actor', title: 'Who', cell: ({ actor, actor_name }) => actorOf(actor, actor_name) },
    { name: 'action', title: 'Did', cell: (entry) => <Verb entry={entry} /> },
    {
      name: 'resource',
      title: 'What',
      cell: ({ resource, before, after }) => (
        <span title={resource}>
          <Text span size="sm" c="dimmed">
            {KINDS[resourceOf(resource).kind]?.one ?? resourceOf(resource).kind}{' '}
          </Text>
          <b className={classes['name']}>{nameIn(resource, before, after)}</b>
        </span>
      ),
    },
    {
      name: 'workspace',
      title: 'Workspace',
      cell: ({ workspace }) =>
        workspace ?? (
          <Text span c="dimmed">
            –
          </Text>
        ),
    },
    {
      name: 'change',
      title: 'Change',
      wideOnly: true,
      cell: ({ before, after }) => {
        const summary = changeWords(before, after).join(' · ')
        return (
          <span className={classes['summary']} title={summary}>
            {summary}
          </span>
        )
      },
    },
  ]
}

const TONES: Record<string, string> = { created: 'good', deleted: 'bad', revoked: 'bad' }

export function Verb({ entry: { action, before, after } }: { entry: AuditEntry }) {
  const verb = verbOf(action, before, after)
  return (
    <span className={classes['verb']} data-tone={TONES[verb]} title={action}>
      {verb}
    </span>
  )
}
