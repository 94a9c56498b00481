import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { FormError } from '../../components/form-error.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Money } from '../../components/money.tsx'
import { tell } from '../../components/tell.ts'
import { isZero } from '../../format/exact.ts'
import type { CellRow } from './reconciliation-rows.ts'

export interface CorrectCellProps {
  cell: { provider: string; model: string; period: string }
  unconfirmed: NonNullable<CellRow['unconfirmed']>
  settlesAt: string
}

/** What the report says of calls neither confirmed nor released: all of the day and model at once. */
export function CorrectCell({ cell, unconfirmed, settlesAt }: CorrectCellProps) {
  const { open_calls: calls, open_most_usd: most, billed_usd: billed } = unconfirmed
  const correct = useChange('reconciliation.correct')
  const [isAsking, setAsking] = useState(false)
  const [reason, setReason] = useState('')
  const isReady = reason.trim().length >= 3
  const kind = isZero(billed) ? 'released' : 'confirmed'
  const action = kind === 'released' ? 'Release' : 'Confirm'

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isReady) return
    correct.mutate({ body: { ...cell, kind, reason } }, { onSuccess: () => tell(`${calls} calls ${kind}.`) })
  }

  return (
    <Stack gap="xs">
      <Text size="sm">
        {calls} {calls === 1 ? 'call' : 'calls'} may have cost up to <Money usd={most} /> more.{' '}
        {kind === 'released' ? (
          'The report bills nothing for them.'
        ) : (
          <>
            The report bills <Money usd={billed} /> for them.
          </>
        )}
      </Text>
      {new Date(settlesAt) > new Date() ? null : isAsking ? (
        <form onSubmit={submit}>
          <Stack gap="xs">
            <FormError error={correct.error} fields={['reason']} />
            <TextInput
              label="How do you know?"
              description={
                kind === 'released'
                  ? 'Kept with each correction. Budgets stop counting these calls.'
                  : 'Kept with each correction. The amount is divided by what each call can have cost.'
              }
              placeholder="Usage report of November"
              autoFocus
              value={reason}
              error={problemAt(correct.error, 'reason')}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
            <Group gap="xs">
              <Button type="submit" size="sm" loading={correct.isPending} disabled={!isReady}>
                {action}
              </Button>
              <Button size="sm" variant="default" onClick={() => setAsking(false)}>
                Cancel
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Group>
          <MayButton to="reconciliation.correct" size="xs" variant="default" onClick={() => setAsking(true)}>
            {action} {calls === 1 ? 'it' : 'them'}
          </MayButton>
        </Group>
      )}
    </Stack>
  )
}
