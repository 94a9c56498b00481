import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
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
  /** Without a model: every model of the provider. */
  place: { provider: string; model?: string; period: string }
  unconfirmed: NonNullable<CellRow['unconfirmed']>
  isSettled: boolean
}

/** What the report says of calls neither confirmed nor released: all at once, or those of one key. */
export function CorrectCell({ place, unconfirmed, isSettled }: CorrectCellProps) {
  const { open_calls: calls, open_most_usd: most, billed_usd: billed, keys } = unconfirmed
  const correct = useChange('reconciliation.correct')
  const [isAsking, setAsking] = useState(false)
  const [reason, setReason] = useState('')
  const [key, setKey] = useState<string | null>(null)
  const isReady = reason.trim().length >= 3
  const kind = isZero(billed) ? 'released' : 'confirmed'
  const action = kind === 'released' ? 'Release' : 'Confirm'

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isReady) return
    correct.mutate(
      { body: { ...place, kind, reason, ...(key !== null && { key }) } },
      { onSuccess: ({ data }) => tell(`${data.length} ${data.length === 1 ? 'call' : 'calls'} ${kind}.`) },
    )
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
      {!isSettled ? null : isAsking ? (
        <form onSubmit={submit}>
          <Stack gap="xs">
            <FormError error={correct.error} fields={['reason']} />
            {keys.length > 1 && (
              <Select
                label="Whose calls"
                placeholder="Every key"
                clearable
                data={keys.map(({ id, name, open_calls: own }) => ({ value: id, label: `${name ?? id} (${own})` }))}
                value={key}
                onChange={setKey}
              />
            )}
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
