import { Button, Group, Stack, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { CircleCheck, CircleDashed, CircleDot, CircleSlash } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useOperation } from '../../api/hooks.ts'
import { useRefusal } from '../../api/session.ts'
import { Panel } from '../../components/panel.tsx'
import { useWorkspace } from '../../shell/place.ts'
import { doneSteps, STEPS, type StepName, type StepState, stepStates } from './first-steps.ts'
import classes from './get-started.module.css'
import { REFRESH_MS, type StatusQuery } from './use-overview.ts'

/** Its forms are no part of the first visit of an installation that needs none. */
const StepBody = lazy(async () => ({ default: (await import('./step-body.tsx')).StepBody }))

const TITLES: Record<StepName, string> = {
  provider: 'Add a provider',
  test: 'Test it',
  call: 'Make the first call',
  key: 'Create a key for an application',
  budget: 'Set a budget',
}

const MARKS: Record<StepState, { icon: typeof CircleDot; words: string }> = {
  done: { icon: CircleCheck, words: 'Done' },
  skipped: { icon: CircleSlash, words: 'Skipped' },
  now: { icon: CircleDot, words: 'Next' },
  later: { icon: CircleDashed, words: 'Later' },
}

/**
 * The steps of a new installation; null when they are done, dismissed in this browser, or not this person's to do;
 * undefined until that is known.
 */
export function useFirstSteps(status: StatusQuery) {
  const workspace = useWorkspace()
  const [skipped, setSkipped] = useLocalStorage<string[]>({
    key: `switchyard-first-steps-${workspace}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  })
  const isOffered = useRefusal('keys.create') === undefined
  const options = {
    refetchEvery: REFRESH_MS,
    enabled: isOffered && STEPS.some((name) => !skipped.includes(name)),
  }
  const latest = useOperation('requests.list', { query: { workspace, limit: 1 } }, options)
  const keys = useOperation('keys.list', { query: { workspace, limit: 2 } }, options)
  const budgets = useOperation('budgets.list', { query: { workspace, limit: 500 } }, options)
  if (!options.enabled) return null
  if (!status.data || !latest.data || !keys.data || !budgets.data) return undefined
  const hasCalls = latest.data.data.length > 0 || latest.data.next_cursor !== null
  const done = doneSteps({ status: status.data, hasCalls, keys: keys.data.data.length, budgets: budgets.data.data })
  const steps = stepStates(done, skipped)
  return steps && { steps, skip: (names: readonly StepName[]) => setSkipped([...new Set([...skipped, ...names])]) }
}

export function GetStarted({ steps, skip }: NonNullable<ReturnType<typeof useFirstSteps>>) {
  return (
    <Panel
      title="Get started"
      actions={
        <Button variant="subtle" color="gray" size="xs" onClick={() => skip(STEPS)}>
          Dismiss
        </Button>
      }
    >
      <ol className={classes['steps']}>
        {steps.map(({ name, state }) => {
          const { icon: Icon, words } = MARKS[state]
          return (
            <li key={name} data-state={state} {...(state === 'now' ? { 'aria-current': 'step' as const } : {})}>
              <Icon size={20} aria-label={words} role="img" className={classes['mark'] ?? ''} />
              <Stack gap="sm" style={{ minWidth: 0 }}>
                <Text fw={state === 'now' ? 650 : 500} lh="20px">
                  {TITLES[name]}
                </Text>
                {state === 'now' && (
                  <>
                    <Suspense fallback={null}>
                      <StepBody name={name} />
                    </Suspense>
                    <Group>
                      <Button ml={-7} variant="subtle" color="gray" size="compact-xs" onClick={() => skip([name])}>
                        Skip this step
                      </Button>
                    </Group>
                  </>
                )}
              </Stack>
            </li>
          )
        })}
      </ol>
    </Panel>
  )
}
