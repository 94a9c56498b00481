import { Autocomplete, Stack, Text } from '@mantine/core'
import { Money } from '../../components/money.tsx'
import { TestLine } from '../../components/provider-test.tsx'
import { milliseconds } from '../../format/number.ts'
import type { Trial } from './trial.ts'

export interface TrialPanelProps {
  trial: Trial
  /** The form was changed since. */
  isStale: boolean
  model: string
  onModel: (model: string) => void
}

/** What came of a test, and with which model to repeat it. */
export function TrialPanel({ trial, isStale, model, onModel }: TrialPanelProps) {
  const { ok, message, call } = trial
  return (
    <Stack gap="xs">
      {isStale ? (
        <Text size="sm" c="dimmed" role="status">
          Changed since the last test.
        </Text>
      ) : (
        <TestLine isOk={ok}>
          {message}
          {call !== null && (
            <span className="figures">
              {' '}
              {milliseconds(call.latency_ms)},{' '}
              {call.cost_usd === null ? 'price unknown' : <Money usd={call.cost_usd} />}
            </span>
          )}
        </TestLine>
      )}
      <Autocomplete
        label="Test model"
        description="Empty picks the cheapest listed model."
        placeholder={call?.model ?? ''}
        data={[...trial.suggested]}
        value={model}
        onChange={onModel}
      />
    </Stack>
  )
}
