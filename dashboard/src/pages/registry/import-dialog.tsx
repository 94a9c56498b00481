import { Modal } from '@mantine/core'
export function ImportDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Import prices" size={860}>
      …
    </Modal>
  )
}
