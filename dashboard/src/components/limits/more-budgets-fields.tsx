import { Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { Plus } from 'lucide-react'
import { RemoveButton } from '../forms/remove-button.tsx'
import { type LimitsForm, limitsProblems, typedAmount } from './limits-form.ts'
import { DOES, EACH, EACH_KEY, type MoreBudget, newBudget } from './more-budgets-form.ts'

const PERIODS = [
  { value: 'day', label: 'a day' },
  { value: 'week', label: 'a week' },
  { value: 'month', label: 'a month' },
  { value: 'total', label: 'in total' },
]

interface MoreBudgetsProps {
  form: LimitsForm
  onChange: (form: LimitsForm) => void
  isWorkspace: boolean
  error: string | undefined
}

/** Budgets for each session, agent, user, project or value of a tag, all of which a call must fit. */
export function MoreBudgetsFields({ form, onChange, isWorkspace, error }: MoreBudgetsProps) {
  const { budgets } = form
  const set = (changed: MoreBudget[]) => onChange({ ...form, budgets: changed })
  const problem = error ?? (budgets.some(({ usd }) => usd !== '') ? limitsProblems(form).budgets : undefined)
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          Budgets for each session, user or agent
        </Text>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<Plus size={14} aria-hidden />}
          disabled={budgets.length >= 8}
          onClick={() => set([...budgets, newBudget()])}
        >
          Add one
        </Button>
      </Group>
      {budgets.map((budget) => (
        <BudgetRow
          key={budget.id}
          budget={budget}
          each={isWorkspace ? [...EACH, EACH_KEY] : EACH}
          onChange={(changed) => set(budgets.map((other) => (other.id === budget.id ? changed : other)))}
          onRemove={() => set(budgets.filter(({ id }) => id !== budget.id))}
        />
      ))}
      {problem !== undefined && (
        <Text size="xs" c="red" role="alert">
          {problem}
        </Text>
      )}
    </Stack>
  )
}

interface BudgetRowProps {
  budget: MoreBudget
  each: { value: string; label: string }[]
  onChange: (budget: MoreBudget) => void
  onRemove: () => void
}

function BudgetRow({ budget, each, onChange, onRemove }: BudgetRowProps) {
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs" flex={1}>
        <Select
          aria-label="Of what"
          data={each}
          value={budget.each}
          allowDeselect={false}
          onChange={(value) => onChange({ ...budget, each: value ?? 'session' })}
        />
        {budget.each === 'tag' && (
          <TextInput
            aria-label="Name of the tag"
            placeholder="name of the tag"
            value={budget.tag}
            onChange={(event) => onChange({ ...budget, tag: event.currentTarget.value })}
          />
        )}
        <TextInput
          aria-label="Amount"
          leftSection="$"
          inputMode="decimal"
          autoComplete="off"
          value={budget.usd}
          onChange={(event) => onChange({ ...budget, usd: typedAmount(event.currentTarget.value) })}
        />
        <Select
          aria-label="Period"
          data={PERIODS}
          value={budget.per}
          allowDeselect={false}
          onChange={(per) => onChange({ ...budget, per: (per ?? 'total') as MoreBudget['per'] })}
        />
        <Select
          aria-label="When it is used up"
          data={DOES}
          value={budget.does}
          allowDeselect={false}
          onChange={(does) => onChange({ ...budget, does: (does ?? 'refuse') as MoreBudget['does'] })}
        />
      </SimpleGrid>
      <RemoveButton label="Remove this budget" onClick={onRemove} />
    </Group>
  )
}
