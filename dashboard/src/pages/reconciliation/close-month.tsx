import { Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { Confirm } from '../../components/confirm.tsx'
import { tell } from '../../components/tell.ts'

export interface CloseMonthProps {
  month: string
  total: string | undefined
  /** Each can be overridden. */
  blockers: readonly { sentence: string }[]
  isOpen: boolean
  onClose: () => void
}

export function CloseMonth({ month, total = '0', blockers, isOpen, onClose }: CloseMonthProps) {
  const [comment, setComment] = useState('')
  const [override, setOverride] = useState('')
  const change = useChange('months.close')
  function close() {
    change.mutate(
      { params: { month }, body: { ...given('comment', comment), ...given('override', override) } },
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
        {(blockers.length > 0 || change.error !== null) && (
          <>
            {blockers.map(({ sentence }) => (
              <Text key={sentence} size="sm">
                {sentence}
              </Text>
            ))}
            <TextInput
              label="Why close it anyway?"
              description="Frozen with the books, with your name"
              maxLength={500}
              value={override}
              error={problemAt(change.error, 'override')}
              onChange={(event) => setOverride(event.currentTarget.value)}
            />
          </>
        )}
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

function given(name: 'comment' | 'override', text: string) {
  return text.trim() === '' ? {} : { [name]: text.trim() }
}
