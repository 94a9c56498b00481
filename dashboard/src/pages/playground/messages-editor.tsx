import { ActionIcon, Button, Group, Select, Stack, Textarea, Tooltip } from '@mantine/core'
import { Plus, Trash2 } from 'lucide-react'
import type { DraftMessage } from '../../components/playground-draft.ts'
import classes from './playground.module.css'

const ROLES: DraftMessage['role'][] = ['system', 'user', 'assistant']
const HINTS: Record<DraftMessage['role'], string> = {
  system: 'How it should behave (may stay empty)',
  user: 'What do you want to know?',
  assistant: 'What it answered',
}

export function MessagesEditor({
  messages,
  onChange,
  onSend,
}: {
  messages: readonly DraftMessage[]
  onChange: (messages: readonly DraftMessage[]) => void
  onSend: () => void
}) {
  const replace = (id: number, change: Partial<DraftMessage>) =>
    onChange(messages.map((message) => (message.id === id ? { ...message, ...change } : message)))

  function add() {
    const last = messages.at(-1)
    const id = Math.max(0, ...messages.map((message) => message.id)) + 1
    onChange([...messages, { id, role: last?.role === 'user' ? 'assistant' : 'user', content: '' }])
  }

  return (
    <Stack gap="xs">
      {messages.map((message, index) => (
        <div key={message.id} className={classes['message']}>
          <Group justify="space-between" wrap="nowrap">
            <Select
              aria-label={`Role of message ${index + 1}`}
              data={ROLES}
              value={message.role}
              onChange={(role) => role !== null && replace(message.id, { role: role as DraftMessage['role'] })}
              allowDeselect={false}
              variant="unstyled"
              size="xs"
              w={104}
              fw={600}
            />
            <Tooltip label="Remove this message">
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={`Remove message ${index + 1}`}
                disabled={messages.length === 1}
                onClick={() => onChange(messages.filter(({ id }) => id !== message.id))}
              >
                <Trash2 size={14} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </Group>
          <Textarea
            aria-label={`Message ${index + 1}, ${message.role}`}
            placeholder={HINTS[message.role]}
            variant="unstyled"
            autosize
            minRows={message.role === 'system' ? 1 : 3}
            maxRows={16}
            value={message.content}
            onChange={(event) => replace(message.id, { content: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
                event.preventDefault()
                event.stopPropagation()
                onSend()
              }
            }}
          />
        </div>
      ))}
      <Button variant="subtle" size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={add} w="fit-content">
        Add a message
      </Button>
    </Stack>
  )
}
