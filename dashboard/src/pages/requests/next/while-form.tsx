import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../../api/hooks.ts'
import { FormError } from '../../../components/form-error.tsx'
import { typedAmount } from '../../../components/limits/limits-form.ts'
import { isAmountText } from '../../../components/limits/more-budgets-form.ts'
import { exactUsd } from '../../../format/money.ts'
import classes from './next.module.css'
import type { StepFormProps } from './raise-form.tsx'
import type { Step } from './steps.ts'

type WhileStep = Extract<Step, { kind: 'while' }>

const MINUTES = [
  { value: '15', label: '15 minutes' },
  { value: '60', label: 'An hour' },
  { value: '480', label: '8 hours' },
  { value: '1440', label: 'A day' },
]

/** Adds to the budget that has refused the call, for a while: the next try passes. */
export function WhileForm({ step, workspace, onDone }: StepFormProps<WhileStep> & { workspace: string }) {
  const create = useChange('raises.create')
  const [usd, setUsd] = useState(step.usd)
  const [minutes, setMinutes] = useState('60')
  const [reason, setReason] = useState('')
  const isComplete = isAmountText(usd) && reason.trim().length >= 3

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isComplete) return
    const body = { ...step.of, usd, minutes: Number(minutes), reason: reason.trim() }
    const label = MINUTES.find(({ value }) => value === minutes)?.label.toLowerCase() ?? ''
    const said = `${step.name} may spend ${exactUsd(usd)} more for ${label}. The next try passes.`
    create.mutate({ query: { workspace }, body }, { onSuccess: () => onDone(said) })
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <FormError error={create.error} fields={[]} />
        <Group gap="xs" align="flex-end" className={classes['form'] ?? ''}>
          <TextInput
            label={`Raise ${step.name} by`}
            leftSection="$"
            inputMode="decimal"
            autoComplete="off"
            w={130}
            value={usd}
            error={isAmountText(usd) ? undefined : 'an amount above 0'}
            onChange={(event) => setUsd(typedAmount(event.currentTarget.value))}
          />
          <Select
            label="For"
            data={MINUTES}
            value={minutes}
            allowDeselect={false}
            w={130}
            onChange={(value) => setMinutes(value ?? '60')}
          />
          <TextInput
            label="Why"
            placeholder="finish the run"
            flex={1}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Button type="submit" size="sm" loading={create.isPending} disabled={!isComplete}>
            Raise
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
