import { Alert, Button, Group, Stack } from '@mantine/core'
import { ShieldAlert } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { CopyAction } from './copy.tsx'
import classes from './secret-once.module.css'

export interface SecretOnceProps {
  value: string
  /** What it is: "The key support-bot". */
  label: string
  /** How to use it, below the value. */
  examples?: ReactNode
  /** How the gateway keeps it, if not as a hash. */
  kept?: string
  /** What else there is to know, above the value. */
  children?: ReactNode
  onDone: () => void
}

/** A value that the gateway shows now and never again. Nothing but this keeps it, and this forgets it when it closes. */
export function SecretOnce({ value, label, examples, kept, children, onDone }: SecretOnceProps) {
  const shown = useRef<HTMLDivElement>(null)
  // The button that had the focus is gone with its form.
  useEffect(() => shown.current?.querySelector('button')?.focus(), [])
  return (
    <Stack>
      {children}
      <Alert color="yellow" variant="light" icon={<ShieldAlert aria-hidden />} title="Copy it now">
        You won’t see it again. {kept ?? 'The gateway stores only a hash'}; if you lose it, create a new one.
      </Alert>
      <Group ref={shown} className={classes['value'] ?? ''} wrap="nowrap" gap="sm" justify="space-between">
        <output className="mono" aria-label={label}>
          {value}
        </output>
        <CopyAction value={value}>Copy</CopyAction>
      </Group>
      {examples}
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}
