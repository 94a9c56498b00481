import { Anchor, Stack, Text } from '@mantine/core'
import { Rocket } from 'lucide-react'
import { Link } from 'wouter'
import { callOrigin } from '../../api/call-origin.ts'
import { useOperation } from '../../api/hooks.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { Panel } from '../../components/panel.tsx'
import { EmptyState } from '../../components/states.tsx'
import { usePath, useWorkspace } from '../../shell/place.ts'
import type { StatusQuery } from './use-overview.ts'

/** No calls yet: how to make the first one. The page shows it when it arrives. */
export function FirstRequest({ status }: { status: StatusQuery }) {
  const workspace = useWorkspace()
  const path = usePath()
  const catalog = useOperation('catalog.list', { query: { workspace, limit: 1 } })
  const model = catalog.data?.data[0]?.id
  const hasProvider = status.data === undefined || status.data.providers.some(({ configured }) => configured)
  return (
    <Panel>
      <EmptyState title="No requests yet" icon={Rocket}>
        {hasProvider ? (
          <>
            Make the first one with a key of this workspace (
            <Anchor component={Link} href={path('keys')} inherit underline="always">
              create one
            </Anchor>
            ). It appears here within seconds.
          </>
        ) : (
          <>
            No provider has a key yet.{' '}
            <Anchor component={Link} href={path('providers')} inherit underline="always">
              Set one up
            </Anchor>
            , then make the first call.
          </>
        )}
      </EmptyState>
      <Stack gap="xs" maw={720} mx="auto" pb="xl">
        <CodeBlock label="The first call" code={curl(callOrigin(), model ?? 'MODEL')} />
        <Text size="sm" c="dimmed" ta="center">
          Or try it without a terminal in the{' '}
          <Anchor component={Link} href={path('playground')} inherit underline="always">
            playground
          </Anchor>
          .
        </Text>
      </Stack>
    </Panel>
  )
}

function curl(url: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] })
  return [
    `curl ${url}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer $GATEWAY_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n')
}
