import { Alert, Button, Stack, Tabs, Text } from '@mantine/core'
import { callOrigin } from '../../api/call-origin.ts'
import { useChange, useOperation } from '../../api/hooks.ts'
import { useRefusal } from '../../api/session.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { AGENT_SETUPS, type AgentSetup } from '../../format/agent-setups.ts'
import { firstCall, javascriptCall, pythonCall } from './first-call.ts'

export interface ConnectTabsProps {
  /** The value of the key, shown only now. */
  value: string
  model: string
  workspace: string
}

/** The key in use, ready to paste: a first call in three languages, and the settings of each coding agent. */
export function ConnectTabs({ value, model, workspace }: ConnectTabsProps) {
  const origin = callOrigin()
  const calls = [
    { name: 'curl', code: firstCall(origin, value, model) },
    { name: 'Python', code: pythonCall(origin, value, model) },
    { name: 'JavaScript', code: javascriptCall(origin, value, model) },
  ]
  return (
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List aria-label="Connect">
        {calls.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
        {AGENT_SETUPS.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {calls.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name} pt="xs">
          <CodeBlock code={code} label={`First call in ${name}`} />
        </Tabs.Panel>
      ))}
      {AGENT_SETUPS.map((setup) => (
        <Tabs.Panel key={setup.name} value={setup.name} pt="xs">
          <AgentPanel setup={setup} lines={setup.lines({ url: origin, key: value, model })} workspace={workspace} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

function AgentPanel({ setup, lines, workspace }: { setup: AgentSetup; lines: string; workspace: string }) {
  return (
    <Stack gap="xs">
      <Text size="sm">{capitalised(setup.place)}:</Text>
      <CodeBlock code={lines} label={`Settings for ${setup.title}`} />
      {setup.notes.map((note) => (
        <Text key={note} size="xs" c="dimmed">
          {note}
        </Text>
      ))}
      {setup.needsStreams && <StreamingNote title={setup.title} workspace={workspace} />}
    </Stack>
  )
}

function StreamingNote({ title, workspace }: { title: string; workspace: string }) {
  const own = useOperation('workspaces.get', { params: { name: workspace } })
  const gateway = useOperation('status.get', {})
  const change = useChange('workspaces.update')
  const refusal = useRefusal('workspaces.update')
  if (own.data === undefined || gateway.data === undefined) return null
  if (own.data.streaming ?? gateway.data.streaming) return null
  const turnOn = () => change.mutate({ params: { name: workspace }, body: { streaming: true } })
  return (
    <Alert color="yellow" variant="light" title={`${title} needs streaming`}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">Streaming is off in the workspace {workspace}.</Text>
        {change.error !== null && (
          <Text size="sm" c="var(--bad)" role="alert">
            {change.error.message}
          </Text>
        )}
        <Button size="xs" loading={change.isPending} disabled={refusal !== undefined} title={refusal} onClick={turnOn}>
          Turn on streaming
        </Button>
      </Stack>
    </Alert>
  )
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
