import { List, Text } from '@mantine/core'
import { PER } from '../../format/budget.ts'
import { exactUsd } from '../../format/money.ts'
import { count } from '../../format/number.ts'
import { DEFAULT_FIT_AT_LEAST, type Limits, MODE_WORDS, PER_WORDS, TIGHT_WORDS } from './limits-form.ts'

/** Limits that cannot be changed here, said in full. */
export function LimitsInWords({ limits }: { limits: Limits | null }) {
  if (limits === null) return <Text size="sm">No limits.</Text>
  const { rpm, tpm, max_parallel: maxParallel, max_output_tokens: maxOutput, budget, budgets = [] } = limits
  return (
    <List size="sm" spacing={4}>
      {rpm !== undefined && <List.Item>{count(rpm)} requests a minute</List.Item>}
      {tpm !== undefined && <List.Item>{count(tpm)} tokens a minute</List.Item>}
      {maxParallel !== undefined && <List.Item>{count(maxParallel)} calls at a time</List.Item>}
      {maxOutput !== undefined && (
        <List.Item>{count(maxOutput)} output tokens, where the caller names no limit</List.Item>
      )}
      {budget !== undefined && (
        <List.Item>
          {exactUsd(budget.usd)} {PER[budget.per]}, {budget.mode}.{' '}
          <Text span c="dimmed" inherit>
            {MODE_WORDS[budget.mode]} {PER_WORDS[budget.per]}
          </Text>
        </List.Item>
      )}
      {budget?.when_tight === 'fit' && (
        <List.Item>
          A call whose most does not fit is fitted, to {count(budget.fit_at_least ?? DEFAULT_FIT_AT_LEAST)} output
          tokens at least.{' '}
          <Text span c="dimmed" inherit>
            {TIGHT_WORDS.fit}
          </Text>
        </List.Item>
      )}
      {budget?.when_tight === 'step_down' && <List.Item>When it gets tight: {TIGHT_WORDS.step_down}</List.Item>}
      {budgets.map(({ each = 'all together', usd, per, mode }) => (
        <List.Item key={`${each} ${per}`}>
          {each === 'all together' ? 'All together' : `Each ${each.replace(':', ' ')}`}: {exactUsd(usd)} {PER[per]},{' '}
          {mode}
        </List.Item>
      ))}
    </List>
  )
}
