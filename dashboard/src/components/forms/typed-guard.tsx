import { Button, Group, Modal, type ModalProps, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'

interface TypedGuard {
  /** In place of closing: asks first where something was typed. */
  close: () => void
  isTyped: boolean
  isAsking: boolean
  /** Notices that something is typed inside. */
  watched: (children: ReactNode) => ReactNode
  question: ReactNode
}

/** Escape, a click outside and the close button do not throw away what was typed without asking. */
export function useTypedGuard(isForm: boolean, onClose: () => void): TypedGuard {
  const [isTyped, setTyped] = useState(false)
  const [isAsking, setAsking] = useState(false)
  useEffect(() => {
    if (isForm) return
    setTyped(false)
    setAsking(false)
  }, [isForm])
  const discard = () => {
    setTyped(false)
    setAsking(false)
    onClose()
  }
  const isDirty = isForm && isTyped
  return {
    close: () => (isDirty ? setAsking(true) : onClose()),
    isTyped: isDirty,
    isAsking,
    watched: (children) => <div onInput={() => setTyped(true)}>{children}</div>,
    // Mounted when it is needed: otherwise the Escape that opens it would close it, too.
    question: isAsking && (
      <Modal opened onClose={() => setAsking(false)} title="Discard what you typed?">
        <Stack>
          <Text size="sm">It has not been saved.</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Keep editing
            </Button>
            <Button color="red.9" onClick={discard}>
              Discard
            </Button>
          </Group>
        </Stack>
      </Modal>
    ),
  }
}

/** A dialog with a form. `isForm`: false once it shows the outcome. */
export function FormModal({ isForm = true, onClose, children, ...props }: ModalProps & { isForm?: boolean }) {
  const guard = useTypedGuard(isForm, onClose)
  const { closeOnEscape = true, closeOnClickOutside = true } = props
  return (
    <>
      <Modal
        {...props}
        onClose={guard.close}
        closeOnEscape={closeOnEscape && !guard.isAsking}
        closeOnClickOutside={closeOnClickOutside && !guard.isAsking}
      >
        {guard.watched(children)}
      </Modal>
      {guard.question}
    </>
  )
}
