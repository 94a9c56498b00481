import { Alert, Badge, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAll, useOperation } from '../../api/hooks.ts'
import { accessWords } from '../../components/access-fields.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/panel.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { ChangePerson } from './change-person.tsx'
import { InvitesPanel } from './invites-panel.tsx'
import { nameOf, type Person } from './person.ts'

const ROLE_FROM: Record<Person['role_from'], string> = {
  groups: 'by their groups',
  invite: 'by an invite',
  admin: 'by an admin',
}

function columnsWith(ownId: string | null | undefined, onChange: (person: Person) => void): Column<Person>[] {
  return [
    {
      name: 'who',
      title: 'Who',
      cell: (person) => (
        <Stack gap={0}>
          <Group gap="xs" wrap="nowrap">
            <Text span size="sm" fw={550}>
              {nameOf(person)}
            </Text>
            {person.id === ownId && <Badge color="blue">you</Badge>}
            {person.disabled_at !== null && <Badge color="red">disabled</Badge>}
          </Group>
          {person.name !== null && person.email !== null && (
            <Text span size="xs" c="dimmed">
              {person.email}
            </Text>
          )}
        </Stack>
      ),
    },
    { name: 'access', title: 'Access', cell: (person) => accessWords(person) },
    { name: 'from', title: 'Role given', wideOnly: true, cell: ({ role_from }) => ROLE_FROM[role_from] },
    { name: 'seen', title: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} relative /> },
    {
      name: 'change',
      title: 'Actions',
      figures: true,
      cell: (person) => (
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => onChange(person)}
          aria-label={`Change ${nameOf(person)}`}
        >
          Change
        </Button>
      ),
    },
  ]
}

/** Who signs in as themselves, and who may come. */
export function PeopleTab() {
  const options = useOperation('sessions.options', {})
  const session = useOperation('sessions.current', {})
  const people = useAll('people.list', {})
  const [changing, setChanging] = useState<Person | null>(null)
  return (
    <Stack gap="lg">
      {options.data?.oidc === null && (
        <Alert color="blue" variant="light" title="Single sign-on is not set up">
          Start the gateway with <Code>OIDC_ISSUER</Code> and <Code>OIDC_CLIENT_ID</Code> of your identity provider, and
          with <Code>PUBLIC_URL</Code>, the address at which people reach this gateway. Until then, people share admin
          keys.
        </Alert>
      )}
      <InvitesPanel />
      <Panel title="People" description="Everyone who has signed in. Changes apply on their next request." flush>
        <Loaded query={people}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState title="No one has signed in yet">People appear here after their first sign-in.</EmptyState>
            ) : (
              <DataTable
                label="People"
                columns={columnsWith(session.data?.person_id, setChanging)}
                rows={rows}
                rowKey={({ id }) => id}
              />
            )
          }
        </Loaded>
        {changing !== null && <ChangePerson of={changing} onClose={() => setChanging(null)} />}
      </Panel>
    </Stack>
  )
}
