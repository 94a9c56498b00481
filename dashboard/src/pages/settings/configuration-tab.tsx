import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { Download, FileCog } from 'lucide-react'
import { addressOf } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import { Panel } from '../../components/panel.tsx'
import { ApplyPanel } from './apply-panel.tsx'

export function ConfigurationTab() {
  return (
    <Stack gap="lg">
      <OwnFile />
      <Panel
        title="Export"
        description="The running configuration as a file that recreates it on an empty gateway."
        actions={
          <Group gap="xs">
            <DownloadButton format="yaml" label="YAML" />
            <DownloadButton format="json" label="JSON" />
          </Group>
        }
      >
        <Text size="sm" c="dimmed">
          Workspaces, routes, keys, providers and prices. Secrets are not in it: they become variables such as{' '}
          <span className="mono">$&#123;LOCAL_API_KEY&#125;</span>, and keys get new values where the file is applied.
        </Text>
      </Panel>
      <ApplyPanel />
    </Stack>
  )
}

function DownloadButton({ format, label }: { format: 'yaml' | 'json'; label: string }) {
  return (
    <Button
      component="a"
      href={addressOf('config.export', { query: { format } })}
      download={`switchyard.${format}`}
      variant="default"
      leftSection={<Download size={16} aria-hidden />}
    >
      {label}
    </Button>
  )
}

/** A gateway with its own file would undo what is applied here and is not in that file. */
function OwnFile() {
  const status = useOperation('status.get', {})
  const file = status.data?.config_file
  if (status.data === undefined) return null
  return (
    <Alert color={file ? 'blue' : 'gray'} variant="light" icon={<FileCog aria-hidden />}>
      {file ? (
        <>
          This gateway applies <span className="mono">{file}</span> at every start and whenever the file changes.
          Changes you make here but not in the file are undone the next time.
        </>
      ) : (
        'This gateway has no configuration file. What you apply here stays until you apply something else.'
      )}
    </Alert>
  )
}
