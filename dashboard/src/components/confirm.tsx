import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { ApiError } from '../api/client.ts'

export interface ConfirmProps {
  isOpen: boolean
  onClose: () => void
  title: string
  /** What will happen, in a sentence. */
  children: ReactNode
  /** The word on the button: the very thing that happens. */
  action: string
  /** What must be typed first, for what cannot be undone. */
  typed?: string
  /** Can be undone. */
  isHarmless?: boolean
  isBusy: boolean
  error: ApiError | null
  onConfirm: () => void
}

/** Asks before something is gone. */
export function Confirm(props: ConfirmProps) {
  const { isOpen, onClose, title, children, action, typed, isHarmless = false, isBusy, error, onConfirm } = props
  const [text, setText] = useState('')
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {typed !== undefined && (
          <TextInput
            label={`Type ${typed} to confirm`}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            data-autofocus
          />
        )}
        {error !== null && (
          <Text size="sm" c="var(--bad)" role="alert">
            {error.message}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            {...(isHarmless ? {} : { color: 'red.9' })}
            loading={isBusy}
            disabled={typed !== undefined && text !== typed}
            onClick={onConfirm}
            {...(typed === undefined ? { 'data-autofocus': true } : {})}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
