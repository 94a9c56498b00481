import { Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useChange, useOperation } from '../../api/hooks.ts'
import { FormError } from '../../components/form-error.tsx'
import { limitsForm, limitsOf, limitsProblems, typedAmount } from '../../components/limits/limits-form.ts'
import { MayButton, MayLink } from '../../components/may-button.tsx'
import { TestButton, TestResult, useProviderTest } from '../../components/provider-test.tsx'
import { tell } from '../../components/tell.ts'
import { usePath, useWorkspace } from '../../shell/place.ts'
import { FirstCall } from './first-call.tsx'
import type { StepName } from './first-steps.ts'

/** What a step is about, and the button that does it. */
export function StepBody({ name }: { name: StepName }) {
  const path = usePath()
  switch (name) {
    case 'provider':
      return (
        <Step hint="Choose a vendor and paste its API key. Calls go through the gateway to it.">
          <Group>
            <MayLink to="providers.put" size="xs" href={`${path('providers')}?new=1`}>
              Add provider
            </MayLink>
          </Group>
        </Step>
      )
    case 'test':
      return <TestStep />
    case 'call':
      return (
        <Step hint="Paste this into a terminal, or try it here. The call appears within seconds.">
          <FirstCall />
          <Group>
            <MayLink to="chat.try" size="xs" href={path('playground')}>
              Open playground
            </MayLink>
          </Group>
        </Step>
      )
    case 'key':
      return (
        <Step hint="With a key of its own, an application has its own limits, spend and log.">
          <Group>
            <MayLink to="keys.create" size="xs" href={`${path('keys')}?new=1`}>
              Create key
            </MayLink>
          </Group>
        </Step>
      )
    case 'budget':
      return <BudgetStep />
  }
}

function Step({ hint, children }: { hint: string; children: ReactNode }) {
  return (
    <>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      {children}
    </>
  )
}

function TestStep() {
  const status = useOperation('status.get', {})
  const name = status.data?.providers.find(({ configured }) => configured)?.name
  if (name === undefined) return <Step hint="Add a provider first."> </Step>
  return (
    <Step hint="Reads the provider’s list of models. It costs nothing.">
      <TestOf name={name} />
    </Step>
  )
}

function TestOf({ name }: { name: string }) {
  const test = useProviderTest(name)
  return (
    <Stack gap="xs">
      <Group>
        <TestButton name={name} test={test} label={`Test ${name}`} />
      </Group>
      <TestResult test={test} />
    </Stack>
  )
}

/** The most that all keys of the workspace may spend together. */
function BudgetStep() {
  const workspace = useWorkspace()
  const read = useOperation('workspaces.get', { params: { name: workspace } })
  const update = useChange('workspaces.update')
  const [budgetUsd, setAmount] = useState('50')
  const form = { ...limitsForm(read.data?.limits ?? null), budgetUsd }
  const problem = limitsProblems(form).budget

  function submit(event: FormEvent) {
    event.preventDefault()
    if (problem !== undefined || budgetUsd === '' || read.data === undefined) return
    // Said by the promise: the step is gone when the answer has been read.
    const saved = update.mutateAsync({ params: { name: workspace }, body: { limits: limitsOf(form) } })
    saved.then(
      () => tell(`Budget of ${workspace} saved. Applies from the next call.`),
      () => {},
    )
  }

  return (
    <Step hint="The most that this workspace can spend in a month. Calls beyond it are refused before they cost anything. Keys can have budgets, too.">
      <form onSubmit={submit}>
        <Stack gap="xs">
          <FormError error={update.error} fields={[]} />
          <Group align="flex-end" gap="xs">
            <TextInput
              label="Budget a month"
              leftSection="$"
              inputMode="decimal"
              autoComplete="off"
              size="xs"
              w={140}
              value={budgetUsd}
              error={problem}
              onChange={(event) => setAmount(typedAmount(event.currentTarget.value))}
            />
            <MayButton to="workspaces.update" type="submit" size="xs" loading={update.isPending}>
              Set budget
            </MayButton>
          </Group>
        </Stack>
      </form>
    </Step>
  )
}
