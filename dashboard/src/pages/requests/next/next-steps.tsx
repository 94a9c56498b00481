import { Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { OperationName } from '../../../api/client.ts'
import { useRefusal } from '../../../api/session.ts'
import { MayButton, MayLink } from '../../../components/may-button.tsx'
import { TestButton, TestResult, useProviderTest } from '../../../components/provider-test.tsx'
import { usePath } from '../../../shell/place.ts'
import type { ListedRequest } from '../use-requests.ts'
import { Done } from './done.tsx'
import { ModelForm } from './model-form.tsx'
import classes from './next.module.css'
import { AllowModel, ResumeSession, StreamingOn } from './one-click.tsx'
import { RaiseForm, raiseWords } from './raise-form.tsx'
import { nextSteps, type Step } from './steps.ts'
import { WhileForm } from './while-form.tsx'

type Form = Extract<Step, { kind: 'raise' | 'model' | 'while' }>

/** What helps against the failure, done here where that is possible. */
export function NextSteps({ request }: { request: ListedRequest }) {
  const steps = nextSteps(request)
  if (steps.length === 0) return null
  return (
    <Group gap="xs" mt="md" align="flex-start" className={classes['steps'] ?? ''}>
      {steps.map((step) => (
        <OneStep key={step.kind} step={step} request={request} />
      ))}
    </Group>
  )
}

/** A button that becomes a form, which becomes what it has changed. A limit needs one number, and a good one is known: its form is open from the start. */
export function FormStep({ step, workspace }: { step: Form; workspace: string }) {
  const change = changeOf(step)
  const isOpen = useRefusal(change) === undefined && step.kind === 'raise'
  const [state, setState] = useState<'button' | 'form' | { done: string }>(isOpen ? 'form' : 'button')
  if (state === 'button') {
    return (
      <MayButton to={change} size="xs" onClick={() => setState('form')}>
        {step.kind === 'model' ? SETS[step.unknown] : step.kind === 'while' ? 'Raise for a while' : raiseWords(step)}
      </MayButton>
    )
  }
  if (state !== 'form') return <Done>{state.done}</Done>
  const onDone = (done: string) => setState({ done })
  return (
    <div className={classes['whole']}>
      {step.kind === 'while' ? (
        <WhileForm step={step} workspace={workspace} onDone={onDone} />
      ) : step.kind === 'raise' ? (
        <RaiseForm step={step} onDone={onDone} />
      ) : (
        <ModelForm step={step} onDone={onDone} onCancel={() => setState('button')} />
      )}
    </div>
  )
}

function changeOf(step: Form): OperationName {
  if (step.kind === 'model') return 'registry.put'
  if (step.kind === 'while') return 'raises.create'
  return step.scope === 'key' ? 'keys.update' : 'workspaces.update'
}

const SETS = { price: 'Set price', max_output_tokens: 'Set output limit', context_window: 'Set context window' }

function OneStep({ step, request }: { step: Step; request: ListedRequest }) {
  const path = usePath()
  const link = { variant: 'default', size: 'xs' } as const
  switch (step.kind) {
    case 'raise':
    case 'while':
    case 'model':
      return <FormStep step={step} workspace={request.workspace} />
    case 'resume':
      return <ResumeSession workspace={request.workspace} session={step.session} />
    case 'streaming':
      return <StreamingOn workspace={request.workspace} />
    case 'allow':
      return <AllowModel keyId={request.key_id} model={step.model} />
    case 'test':
      return <TestProvider name={step.provider} />
    case 'key':
      return (
        <MayLink {...link} to="keys.get" href={path('keys', request.key_id)}>
          Open key
        </MayLink>
      )
    case 'route':
      return (
        <MayLink {...link} to="routes.get" href={path('routes', step.alias)}>
          Open route
        </MayLink>
      )
    case 'new-route':
      return (
        <MayLink
          {...link}
          to="routes.put"
          href={`${path('routes')}?${new URLSearchParams({ new: '1', alias: step.alias })}`}
        >
          {`Create route ${step.alias}`}
        </MayLink>
      )
  }
}

function TestProvider({ name }: { name: string }) {
  const test = useProviderTest(name)
  return (
    <Stack gap={6}>
      <Group>
        <TestButton name={name} test={test} label={`Test ${name}`} />
      </Group>
      <TestResult test={test} />
    </Stack>
  )
}
