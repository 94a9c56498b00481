import { List, Text } from '@mantine/core'
import { PER } from '../../format/budget.ts'
import { exactUsd } from '../../format/money.ts'
import { count } from '../../format/number.ts'
import { type Limits, MODE_WORDS, PER_WORDS } from './limits-form.ts'

/** Limits that cannot be changed here, said in full. */
export function LimitsInWords({ limits }: { limits: Limits | null }) {
  if (limits === null) return <Text size="sm">No limits.</Text>
  const { rpm, tpm, max_parallel: maxParallel, budget } = limits
  return (
    <List size="sm" spacing={4}>
      {rpm !== undefined && <List.Item>{count(rpm)} requests a minute</List.Item>}
      {tpm !== undefined && <List.Item>{count(tpm)} tokens a minute</List.Item>}
      {maxParallel !== undefined && <List.Item>{count(maxParallel)} calls at a time</List.Item>}
      {budget !== undefined && (
        <List.Item>
          {exactUsd(budget.usd)} {PER[budget.per]}, {budget.mode}.{' '}
          <Text span c="dimmed" inherit>
            {MODE_WORDS[budget.mode]} {PER_WORDS[budget.per]}
          </Text>
        </List.Item>
      )}
    </List>
  )
}
