import { CircleCheck, CircleX, PlugZap } from 'lucide-react'
import type { ReactNode } from 'react'
import { useChange } from '../api/hooks.ts'
import { milliseconds } from '../format/number.ts'
import { MayButton } from './may-button.tsx'
import classes from './provider-test.module.css'

/** Asks the provider for its models, which costs nothing, and keeps what came of it until the next time. */
export function useProviderTest(name: string) {
  const test = useChange('providers.test')
  const run = () => test.mutate({ params: { name } })
  return { test, run }
}

type Test = ReturnType<typeof useProviderTest>

export function TestButton({
  name,
  test: { test, run },
  label = 'Test',
}: {
  name: string
  test: Test
  label?: string
}) {
  return (
    <MayButton
      to="providers.test"
      variant="default"
      size="xs"
      leftSection={<PlugZap size={14} aria-hidden />}
      loading={test.isPending}
      onClick={run}
      aria-label={`Test ${name}`}
    >
      {label}
    </MayButton>
  )
}

export function TestResult({ test: { test } }: { test: Test }) {
  if (test.error !== null) return <TestLine isOk={false}>{test.error.message}</TestLine>
  if (test.data === undefined || test.isPending) return null
  const { ok, latency_ms, message } = test.data
  return (
    <TestLine isOk={ok}>
      {message} <span className="figures">({milliseconds(latency_ms)})</span>
    </TestLine>
  )
}

export function TestLine({ isOk, children }: { isOk: boolean; children: ReactNode }) {
  const Icon = isOk ? CircleCheck : CircleX
  return (
    <div className={classes['result']} data-ok={isOk || undefined} role="status">
      <Icon size={14} aria-label={isOk ? 'Works' : 'Does not work'} />
      <span>{children}</span>
    </div>
  )
}
