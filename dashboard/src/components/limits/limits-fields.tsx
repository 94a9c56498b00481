import { NumberInput, Radio, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import type { ApiError } from '../../api/client.ts'
import { problemAt } from '../../api/problem.ts'
import {
  COUNTS,
  DEFAULT_FIT_AT_LEAST,
  isFitting,
  isSteppingDown,
  type LimitsForm,
  limitsProblems,
  MODE_WORDS,
  PER_WORDS,
  TIGHT_WORDS,
  typedAmount,
} from './limits-form.ts'
import { MoreBudgetsFields } from './more-budgets-fields.tsx'

const COUNT_LABELS = {
  rpm: { label: 'Requests per minute', description: 'rpm, over the last 60 s', placeholder: 'no limit' },
  tpm: { label: 'Tokens per minute', description: 'tpm, prompt and answer', placeholder: 'no limit' },
  max_parallel: { label: 'Concurrent requests', description: 'max_parallel', placeholder: 'no limit' },
  max_output_tokens: {
    label: 'Default output limit',
    description: 'max_output_tokens, if the caller sends none',
    placeholder: 'no default',
  },
} as const

const PERIODS = [
  { value: 'day', label: 'Every day' },
  { value: 'week', label: 'Every week' },
  { value: 'month', label: 'Every month' },
  { value: 'total', label: 'Never' },
]

/** The fields whose problems these inputs show; what the gateway says of others stands elsewhere. */
export const LIMIT_FIELDS = [
  'limits.rpm',
  'limits.tpm',
  'limits.max_parallel',
  'limits.max_output_tokens',
  'limits.budget',
  'limits.budgets',
]

export interface LimitsFieldsProps {
  form: LimitsForm
  onChange: (form: LimitsForm) => void
  error: ApiError | null
  /** Its budgets may be for each of its keys. */
  isWorkspace?: boolean
}

/** What a key or a workspace may use up, for people to set. */
export function LimitsFields({ form, onChange, error, isWorkspace = false }: LimitsFieldsProps) {
  const problems = limitsProblems(form)
  return (
    <Stack gap="md">
      <BudgetFields form={form} onChange={onChange} error={error} />
      <MoreBudgetsFields
        form={form}
        onChange={onChange}
        isWorkspace={isWorkspace}
        error={problemAt(error, 'limits.budgets')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {COUNTS.map((name) => (
          <NumberInput
            key={name}
            {...COUNT_LABELS[name]}
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
          label="Resets"
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
          {form.mode === 'hard' && <TightFields form={form} onChange={onChange} error={error} />}
          <NumberInput
            label="Warn from"
            description="Percent of the budget: a header to the caller and one alert"
            placeholder="no warning"
            suffix=" %"
            value={form.warn_at}
            onChange={(value) => onChange({ ...form, warn_at: String(value) })}
            error={limitsProblems(form).warn_at ?? problemAt(error, 'limits.budget.warn_at')}
            allowDecimal={false}
            allowNegative={false}
            hideControls
          />
        </>
      )}
    </Stack>
  )
}

function TightFields({ form, onChange, error }: LimitsFieldsProps) {
  return (
    <>
      <Radio.Group
        label="If a call might exceed what’s left"
        value={form.whenTight}
        onChange={(whenTight) => onChange({ ...form, whenTight: whenTight as LimitsForm['whenTight'] })}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="refuse" label="Refuse the call" description={TIGHT_WORDS.refuse} />
          <Radio value="fit" label="Shorten the answer" description={TIGHT_WORDS.fit} />
          <Radio value="step_down" label="Step down" description={TIGHT_WORDS.step_down} />
        </Stack>
      </Radio.Group>
      {isSteppingDown(form) && (
        <TextInput
          label="Step down to"
          description="A route of this workspace; empty for the cheaper entries of the call’s own route"
          placeholder="its own route"
          autoComplete="off"
          value={form.stepDownTo}
          onChange={(event) => onChange({ ...form, stepDownTo: event.currentTarget.value.trim() })}
          error={problemAt(error, 'limits.budget.step_down_to')}
        />
      )}
      {isFitting(form) && (
        <NumberInput
          label="Shorten to no less than"
          description="Output tokens. Below that, the call is refused. Reasoning models need thousands."
          placeholder={String(DEFAULT_FIT_AT_LEAST)}
          value={form.fit_at_least}
          onChange={(value) => onChange({ ...form, fit_at_least: String(value) })}
          error={limitsProblems(form).fit_at_least ?? problemAt(error, 'limits.budget.fit_at_least')}
          thousandSeparator=","
          allowDecimal={false}
          allowNegative={false}
          hideControls
        />
      )}
    </>
  )
}
