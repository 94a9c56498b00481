import { Anchor, Group } from '@mantine/core'
import { Compass } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { Page } from '../components/page.tsx'
import { EmptyState } from '../components/states.tsx'
import { useWorkspace } from './place.ts'

/** The address names a workspace that does not exist, or that the user may not see: offers the others, same page. */
export function UnknownWorkspace({ names }: { names: readonly string[] }) {
  const workspace = useWorkspace()
  const [location] = useLocation()
  const page = location.split('/')[2] ?? 'overview'
  return (
    <Page title="Workspace not found">
      <EmptyState title={`There is no workspace ${workspace}`} icon={Compass}>
        {names.length === 0
          ? 'You have no workspace yet: ask the person who invited you.'
          : 'It may have been deleted or renamed.'}
        <Group justify="center" gap="xs" mt="sm">
          {names.map((name) => (
            <Anchor key={name} component={Link} href={`/${encodeURIComponent(name)}/${page}`} underline="always">
              {name}
            </Anchor>
          ))}
        </Group>
      </EmptyState>
    </Page>
  )
}
