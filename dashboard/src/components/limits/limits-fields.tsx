import { NumberInput, Radio, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import type { ApiError } from '../../api/client.ts'
import { problemAt } from '../../api/problem.ts'
import { COUNTS, type LimitsForm, limitsProblems, MODE_WORDS, PER_WORDS, typedAmount } from './limits-form.ts'

const COUNT_LABELS = {
  rpm: { label: 'Requests a minute', description: 'rpm, of the last 60 s' },
  tpm: { label: 'Tokens a minute', description: 'tpm, prompt and answer' },
  max_parallel: { label: 'Calls at a time', description: 'max_parallel' },
} as const

const PERIODS = [
  { value: 'day', label: 'a day' },
  { value: 'week', label: 'a week' },
  { value: 'month', label: 'a month' },
  { value: 'total', label: 'in total' },
]

/** The fields whose problems these inputs show; what the gateway says of others stands elsewhere. */
export const LIMIT_FIELDS = ['limits.rpm', 'limits.tpm', 'limits.max_parallel', 'limits.budget']

export interface LimitsFieldsProps {
  form: LimitsForm
  onChange: (form: LimitsForm) => void
  error: ApiError | null
}

/** What a key or a workspace may use up, for people to set. */
export function LimitsFields({ form, onChange, error }: LimitsFieldsProps) {
  const problems = limitsProblems(form)
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        {COUNTS.map((name) => (
          <NumberInput
            key={name}
            {...COUNT_LABELS[name]}
            placeholder="no limit"
            value={form[name]}
            onChange={(value) => onChange({ ...form, [name]: String(value) })}
            error={problems[name] ?? problemAt(error, `limits.${name}`)}
            thousandSeparator=","
            allowDecimal={false}
            allowNegative={false}
            hideControls
          />
        ))}
      </SimpleGrid>
      <BudgetFields form={form} onChange={onChange} error={error} />
    </Stack>
  )
}

function BudgetFields({ form, onChange, error }: LimitsFieldsProps) {
  const problem = limitsProblems(form).budget ?? problemAt(error, 'limits.budget')
  const hasBudget = form.budgetUsd !== ''
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Budget"
          placeholder="no budget"
          leftSection="$"
          inputMode="decimal"
          autoComplete="off"
          value={form.budgetUsd}
          onChange={(event) => onChange({ ...form, budgetUsd: typedAmount(event.currentTarget.value) })}
          error={problem}
        />
        <Select
          label="Period of the budget"
          data={PERIODS}
          value={form.per}
          allowDeselect={false}
          disabled={!hasBudget}
          onChange={(per) => onChange({ ...form, per: (per ?? 'month') as LimitsForm['per'] })}
          comboboxProps={{ shadow: 'md' }}
        />
      </SimpleGrid>
      {hasBudget && (
        <>
          <Text size="xs" c="dimmed">
            {PER_WORDS[form.per]}
          </Text>
          <Radio.Group
            label="When it is used up"
            value={form.mode}
            onChange={(mode) => onChange({ ...form, mode: mode as LimitsForm['mode'] })}
          >
            <Stack gap="xs" mt={6}>
              <Radio value="hard" label="Hard: refuse" description={MODE_WORDS.hard} />
              <Radio value="soft" label="Soft: warn" description={MODE_WORDS.soft} />
            </Stack>
          </Radio.Group>
        </>
      )}
    </Stack>
  )
}
