import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useChange, useOperation } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { FormError } from '../../components/form-error.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Money } from '../../components/money.tsx'
import { Time } from '../../components/time.tsx'
import type { ListedRequest } from './use-requests.ts'

type Correction = NonNullable<Reply<'requests.get'>['correction']>
type Kind = 'confirmed' | 'released'

/** What the provider may bill for work that it gave no count of, and what became of it. */
export function Unconfirmed({ request }: { request: ListedRequest }) {
  const { unconfirmed_most_usd: most, unconfirmed_estimate_usd: estimate } = request
  if (most === null) return null
  return (
    <Stack gap="xs" mt="sm">
      <Text size="sm">
        Not confirmed by the provider: at most <Money usd={most} /> besides, by our estimate{' '}
        <Money usd={estimate ?? '0'} />.
      </Text>
      <Outcome request={request} most={most} />
    </Stack>
  )
}

function Outcome({ request, most }: { request: ListedRequest; most: string }) {
  const full = useOperation('requests.get', { params: { id: request.id } })
  const [kind, setKind] = useState<Kind | null>(null)
  if (full.data === undefined) return null
  const { correction } = full.data
  if (correction !== null) return <Corrected correction={correction} />
  if (kind !== null) return <CorrectionForm id={request.id} kind={kind} most={most} onCancel={() => setKind(null)} />
  return (
    <>
      <Text size="sm">
        <Money usd={request.unconfirmed_counted_usd ?? '0'} /> of it counts in budgets.
      </Text>
      <Group gap="xs">
        <MayButton to="corrections.create" size="xs" variant="default" onClick={() => setKind('confirmed')}>
          It was billed
        </MayButton>
        <MayButton to="corrections.create" size="xs" variant="default" onClick={() => setKind('released')}>
          It was not billed
        </MayButton>
      </Group>
    </>
  )
}

function Corrected({ correction }: { correction: Correction }) {
  return (
    <Text size="sm" c="dimmed">
      {correction.kind === 'released' ? 'Released' : 'Confirmed as '}
      {correction.kind === 'confirmed' && <Money usd={correction.cost_usd} />} by {correction.actor},{' '}
      <Time at={correction.created_at} />: {correction.reason}
    </Text>
  )
}

interface CorrectionFormProps {
  id: string
  kind: Kind
  most: string
  onCancel: () => void
}

function CorrectionForm({ id, kind, most, onCancel }: CorrectionFormProps) {
  const create = useChange('corrections.create')
  const [usd, setUsd] = useState(most)
  const [reason, setReason] = useState('')
  const isConfirming = kind === 'confirmed'
  const isReady = reason.trim().length >= 3 && (!isConfirming || /^\d+(\.\d{1,12})?$/.test(usd))

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isReady) create.mutate({ body: { kind, request_ids: [id], reason, ...(isConfirming && { usd }) } })
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <FormError error={create.error} fields={['usd', 'reason']} />
        {isConfirming && (
          <TextInput
            label="Billed beyond the cost above"
            leftSection="$"
            inputMode="decimal"
            autoComplete="off"
            value={usd}
            error={problemAt(create.error, 'usd')}
            onChange={(event) => setUsd(event.currentTarget.value.trim())}
          />
        )}
        <TextInput
          label="How do you know?"
          description={
            isConfirming ? 'Kept with the correction.' : 'Kept with the correction. Budgets stop counting it.'
          }
          placeholder="Invoice of November"
          autoFocus
          value={reason}
          error={problemAt(create.error, 'reason')}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group gap="xs">
          <Button type="submit" size="sm" loading={create.isPending} disabled={!isReady}>
            {isConfirming ? 'Confirm' : 'Release'}
          </Button>
          <Button variant="default" size="sm" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
