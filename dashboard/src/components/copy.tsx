import { ActionIcon, Button, CopyButton, Group, Tooltip } from '@mantine/core'
import { Check, Copy, type LucideIcon } from 'lucide-react'

/** A small button that copies; says so afterwards, aloud too. */
export function CopyIcon({
  value,
  label = 'Copy',
  icon: Icon = Copy,
}: {
  value: string
  label?: string
  icon?: LucideIcon
}) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon
            variant="subtle"
            color={copied ? 'teal' : 'gray'}
            size="sm"
            onClick={copy}
            aria-label={copied ? 'Copied' : label}
          >
            {copied ? <Check size={14} aria-hidden /> : <Icon size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

export function CopyAction({ value, children }: { value: string; children: string }) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size="xs"
          leftSection={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
          onClick={copy}
        >
          {copied ? 'Copied' : children}
        </Button>
      )}
    </CopyButton>
  )
}

/** An id or a name with a button to copy it. */
export function CopyText({ value, shown = value }: { value: string; shown?: string }) {
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <span className="mono" title={value}>
        {shown}
      </span>
      <CopyIcon value={value} label={`Copy ${value}`} />
    </Group>
  )
}
