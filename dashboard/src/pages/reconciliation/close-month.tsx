import { Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { Confirm } from '../../components/confirm.tsx'
import { tell } from '../../components/tell.ts'

export interface CloseMonthProps {
  month: string
  total: string | undefined
  isOpen: boolean
  onClose: () => void
}

export function CloseMonth({ month, total = '0', isOpen, onClose }: CloseMonthProps) {
  const [comment, setComment] = useState('')
  const change = useChange('months.close')
  function close() {
    change.mutate(
      { params: { month }, body: comment.trim() === '' ? {} : { comment: comment.trim() } },
      {
        onSuccess() {
          tell(`${month} is closed.`)
          onClose()
        },
      },
    )
  }
  return (
    <Confirm
      isOpen={isOpen}
      onClose={onClose}
      title={`Close ${month}?`}
      action="Close month"
      typed={month}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={close}
    >
      <Stack gap="sm">
        <Text size="sm">
          Its books, {total} USD in total, are frozen with a hash and your name. This can’t be undone. Late calls and
          corrections belong to the next month.
        </Text>
        <TextInput
          label="Comment"
          description="Frozen with the books"
          maxLength={1000}
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
      </Stack>
    </Confirm>
  )
}
