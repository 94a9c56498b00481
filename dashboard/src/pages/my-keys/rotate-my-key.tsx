import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { FormError } from '../../components/form-error.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import type { MyKey } from './my-key.ts'

const OVERLAPS = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '24 hours' },
]

/** A new value beside the old one. */
export function RotateMyKey({ of: key, onClose }: { of: MyKey; onClose: () => void }) {
  const rotate = useChange('my-keys.rotate')
  const [rotated, setRotated] = useState<Reply<'my-keys.rotate'> | null>(null)
  const [overlap, setOverlap] = useState('3600')
  const isShowing = rotated !== null

  function submit(event: FormEvent) {
    event.preventDefault()
    const body = { overlap_seconds: Number(overlap) }
    rotate.mutate({ params: { id: key.id }, body }, { onSuccess: setRotated })
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={isShowing ? `The new value of ${key.name}` : `Rotate ${key.name}`}
      size={700}
      closeOnClickOutside={!isShowing}
      closeOnEscape={!isShowing}
      withCloseButton={!isShowing}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {isShowing ? (
        <SecretOnce value={rotated.value} label={`The new value of ${key.name}`} onDone={onClose} />
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">The key gets a new value. Its limits and spending stay the same.</Text>
            <Select
              label="Keep the old value working for"
              data={OVERLAPS}
              value={overlap}
              allowDeselect={false}
              onChange={(value) => setOverlap(value ?? '0')}
            />
            <FormError error={rotate.error} fields={[]} />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={rotate.isPending}>
                Rotate the key
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
