import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { Leaving } from '../../components/leave-guard.ts'

export function LeaveDialog({ leaving }: { leaving: Leaving }) {
  return (
    <Modal
      opened={leaving.isAsking}
      onClose={leaving.stay}
      title="Leave without saving?"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">What you changed here is not saved yet and would be lost.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={leaving.stay} data-autofocus>
            Stay
          </Button>
          <Button color="red.9" onClick={leaving.leave}>
            Leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
