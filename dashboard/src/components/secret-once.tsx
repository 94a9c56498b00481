import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { CodeBlock } from './code-block.tsx'
import { CopyAction } from './copy.tsx'
import classes from './secret-once.module.css'

export interface SecretOnceProps {
  value: string
  /** What it is: "The key support-bot". */
  label: string
  /** A command that works as pasted. */
  curl?: string
  /** How the gateway keeps it, if not as a hash. */
  kept?: string
  /** What else there is to know, above the value. */
  children?: ReactNode
  onDone: () => void
}

/** A value that the gateway shows now and never again. Nothing but this keeps it, and this forgets it when it closes. */
export function SecretOnce({ value, label, curl, kept, children, onDone }: SecretOnceProps) {
  return (
    <Stack>
      {children}
      <Alert color="yellow" variant="light" icon={<ShieldAlert aria-hidden />} title="Copy it now">
        This is the only time it is shown. {kept ?? 'The gateway keeps a hash of it, so nobody can read it again'}; if
        it gets lost, make a new one.
      </Alert>
      <Group className={classes['value'] ?? ''} wrap="nowrap" gap="sm" justify="space-between">
        <output className="mono" aria-label={label}>
          {value}
        </output>
        <CopyAction value={value}>Copy</CopyAction>
      </Group>
      {curl !== undefined && (
        <Stack gap={6}>
          <Text size="sm" c="dimmed">
            A first call with it, as it is:
          </Text>
          <CodeBlock code={curl} label="A first call, as a command" />
        </Stack>
      )}
      <Group justify="flex-end">
        <Button onClick={onDone}>I have stored it</Button>
      </Group>
    </Stack>
  )
}
