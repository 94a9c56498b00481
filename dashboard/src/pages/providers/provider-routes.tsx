import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useOperation } from '../../api/hooks.ts'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { Loaded, LoadingRows } from '../../components/states.tsx'
import { useWorkspace } from '../../shell/place.ts'

/** The routes of all workspaces that could call it. */
export function ProviderRoutes({ name }: { name: string }) {
  const routes = useOperation('providers.routes', { params: { name } })
  const current = useWorkspace()
  return (
    <DrawerSection title="Routes that use it">
      <Loaded query={routes} loading={<LoadingRows rows={2} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Text size="sm" c="dimmed">
              None yet. Add it to a route to send calls to it.
            </Text>
          ) : (
            <Group gap="md">
              {data.map(({ workspace, alias }) => (
                <Anchor
                  key={`${workspace} ${alias}`}
                  component={Link}
                  href={`/${encodeURIComponent(workspace)}/routes/${encodeURIComponent(alias)}`}
                  size="sm"
                  className="mono"
                >
                  {workspace === current ? alias : `${alias} (${workspace})`}
                </Anchor>
              ))}
            </Group>
          )
        }
      </Loaded>
    </DrawerSection>
  )
}
