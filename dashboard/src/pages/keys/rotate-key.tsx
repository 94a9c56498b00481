import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { SecretOnce } from '../../components/secret-once.tsx'
import { Time } from '../../components/time.tsx'
import type { Key } from './key-list.ts'

type Rotated = Reply<'keys.rotate'>

const OVERLAPS = [
  { seconds: 0, label: 'Not at all', description: 'Refused from the next call' },
  { seconds: 3600, label: '1 hour', description: 'For one program that you can restart now' },
  { seconds: 86_400, label: '24 hours', description: 'For several programs, within a day' },
  { seconds: 604_800, label: '7 days', description: 'For programs that other people run' },
] as const

export interface RotateKeyProps {
  of: Key
  onClose: () => void
}

/** A new value beside the old one. */
export function RotateKey({ of: key, onClose }: RotateKeyProps) {
  const [rotated, setRotated] = useState<Rotated | null>(null)
  const isShowing = rotated !== null
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
        <SecretOnce value={rotated.value} label={`The new value of ${key.name}`} onDone={onClose}>
          <OldValues rotated={rotated} />
        </SecretOnce>
      ) : (
        <OverlapForm of={key} onRotated={setRotated} onClose={onClose} />
      )}
    </Modal>
  )
}

function OldValues({ rotated: { replaces, prefix } }: { rotated: Rotated }) {
  const last =
    replaces
      .map(({ ends_at: at }) => at ?? '')
      .toSorted()
      .at(-1) ?? ''
  const isOver = !(Date.parse(last) > Date.now())
  return (
    <Text size="sm">
      The new value begins with <span className="mono">{prefix}</span>.{' '}
      {isOver ? (
        'The old one has stopped working.'
      ) : (
        <>
          The old one works until{' '}
          <b>
            <Time at={last} />
          </b>{' '}
          (<Time at={last} relative />
          ): update your programs before then.
        </>
      )}
    </Text>
  )
}

function OverlapForm(props: { of: Key; onRotated: (rotated: Rotated) => void; onClose: () => void }) {
  const rotate = useChange('keys.rotate')
  const [overlap, setOverlap] = useState('86400')

  function submit(event: FormEvent) {
    event.preventDefault()
    const body = { overlap_seconds: Number(overlap) }
    rotate.mutate({ params: { id: props.of.id }, body }, { onSuccess: props.onRotated })
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">The key gets a new value. Its settings, limits and spending stay the same.</Text>
        <Radio.Group label="Keep the old value working for" value={overlap} onChange={setOverlap}>
          <Stack gap="xs" mt={8}>
            {OVERLAPS.map(({ seconds, label, description }) => (
              <Radio key={seconds} value={String(seconds)} label={label} description={description} />
            ))}
          </Stack>
        </Radio.Group>
        {rotate.error !== null && (
          <Text size="sm" c="var(--bad)" role="alert">
            {rotate.error.message}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={rotate.isPending}>
            Rotate the key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
