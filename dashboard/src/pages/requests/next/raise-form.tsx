import { Button, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { ApiError } from '../../../api/client.ts'
import { useChange, useVersioned } from '../../../api/hooks.ts'
import { FormError } from '../../../components/form-error.tsx'
import {
  type Limits,
  limitsForm,
  limitsOf,
  limitsProblems,
  typedAmount,
} from '../../../components/limits/limits-form.ts'
import { Loaded } from '../../../components/states.tsx'
import { PER } from '../../../format/budget.ts'
import { exactUsd } from '../../../format/money.ts'
import { count } from '../../../format/number.ts'
import classes from './next.module.css'
import { type Rate, raisedTo, type Step } from './steps.ts'

type RaiseStep = Extract<Step, { kind: 'raise' }>

export interface StepFormProps<S> {
  step: S
  onDone: (text: string) => void
}

const RATE_LABELS: Record<Rate, string> = {
  rpm: 'Requests per minute',
  tpm: 'Tokens per minute',
  max_parallel: 'Concurrent requests',
}

export function raiseWords({ what }: RaiseStep): string {
  return what === 'budget' ? 'Raise budget' : 'Raise limit'
}

/** Raises the limit that has refused the call, of the key or of its workspace. */
export function RaiseForm(props: StepFormProps<RaiseStep>) {
  return props.step.scope === 'key' ? <OfKey {...props} /> : <OfWorkspace {...props} />
}

function OfKey(props: StepFormProps<RaiseStep>) {
  const { id } = props.step
  const key = useVersioned('keys.get', { params: { id } })
  const update = useChange('keys.update')
  return (
    <Loaded query={key}>
      {({ value, etag }) => (
        <Limit
          key={etag}
          {...props}
          name={value.name}
          limits={value.limits}
          error={update.error}
          isBusy={update.isPending}
          onReload={() => void key.refetch().then(() => update.reset())}
          save={(limits, onSuccess) =>
            update.mutate({ params: { id }, body: { limits }, ifMatch: etag }, { onSuccess })
          }
        />
      )}
    </Loaded>
  )
}

function OfWorkspace(props: StepFormProps<RaiseStep>) {
  const name = props.step.id
  const workspace = useVersioned('workspaces.get', { params: { name } })
  const update = useChange('workspaces.update')
  return (
    <Loaded query={workspace}>
      {({ value }) => (
        <Limit
          {...props}
          name={`workspace ${name}`}
          limits={value.limits}
          error={update.error}
          isBusy={update.isPending}
          onReload={() => void workspace.refetch()}
          save={(limits, onSuccess) => update.mutate({ params: { name }, body: { limits } }, { onSuccess })}
        />
      )}
    </Loaded>
  )
}

interface LimitProps extends StepFormProps<RaiseStep> {
  name: string
  limits: Limits | null
  error: ApiError | null
  isBusy: boolean
  onReload: () => void
  save: (limits: Limits | null, onSuccess: () => void) => void
}

function Limit({ step, name, limits, error, isBusy, onReload, save, onDone }: LimitProps) {
  const { what, needed } = step
  const field = what === 'budget' ? 'budgetUsd' : what
  const before = limitsForm(limits)
  const [typed, setTyped] = useState(before[field] === '' ? '' : raisedTo(before[field], needed))
  const after = { ...before, [field]: typed }
  const problem = limitsProblems(after)[what]
  const inWords = (value: string) =>
    what === 'budget'
      ? `${exactUsd(value)} ${PER[before.per]}`
      : `${count(Number(value))} ${RATE_LABELS[what].toLowerCase()}`
  if (before[field] === '') return <Text size="sm">This limit has been removed since then.</Text>

  function submit(event: FormEvent) {
    event.preventDefault()
    if (problem !== undefined || typed === before[field]) return
    const said = what === 'budget' ? `budget of ${name} is now` : `limit of ${name} is now`
    save(limitsOf(after), () => onDone(`The ${said} ${inWords(typed)}. Applies from the next call.`))
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <FormError error={error} fields={[]} onReload={onReload} />
        <div className={classes['form']}>
          <TextInput
            label={`${what === 'budget' ? 'Budget' : RATE_LABELS[what]} of ${name}`}
            description={`Now ${inWords(before[field])}`}
            {...(what === 'budget' ? { leftSection: '$' } : {})}
            inputMode="decimal"
            autoComplete="off"
            value={typed}
            error={problem}
            onChange={(event) => setTyped(typedAmount(event.currentTarget.value))}
          />
          <Button type="submit" size="sm" loading={isBusy}>
            {raiseWords(step)}
          </Button>
        </div>
      </Stack>
    </form>
  )
}
