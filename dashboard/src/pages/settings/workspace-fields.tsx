import { Checkbox, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { ApiError } from '../../api/client.ts'
import { problemAt } from '../../api/problem.ts'
import { LimitsFields } from '../../components/limits/limits-fields.tsx'
import { type LimitsForm, UNCONFIRMED } from '../../components/limits/limits-form.ts'
import { ContentField } from './content-field.tsx'
import { GuardrailField } from './guardrail-field.tsx'
import { LoopsField } from './loops/loops-field.tsx'
import { StreamingField } from './streaming-field.tsx'
import type { Setting, WorkspaceForm } from './workspace-form.ts'

export interface WorkspaceFieldsProps {
  form: WorkspaceForm
  onChange: (form: WorkspaceForm) => void
  error: ApiError | null
  /** Those that belong to the configuration file. */
  fixed?: readonly Setting[]
}

export function WorkspaceFields({ form, onChange, error, fixed = [] }: WorkspaceFieldsProps) {
  return (
    <Stack>
      <Textarea
        label="Description"
        description="What it’s for, and who owns it"
        autosize
        minRows={2}
        maxRows={6}
        value={form.description}
        onChange={(event) => onChange({ ...form, description: event.currentTarget.value })}
        error={problemAt(error, 'description')}
      />
      <StreamingField
        value={form.streaming}
        onChange={(streaming) => onChange({ ...form, streaming })}
        error={problemAt(error, 'streaming')}
        isFixed={fixed.includes('streaming')}
      />
      <ContentField
        form={form.content}
        onChange={(content) => onChange({ ...form, content })}
        error={problemAt(error, 'content')}
        isFixed={fixed.includes('content')}
      />
      <GuardrailField
        form={form.guardrail}
        onChange={(guardrail) => onChange({ ...form, guardrail })}
        error={error}
        isFixed={fixed.includes('guardrail')}
      />
      <LoopsField
        form={form.loops}
        onChange={(loops) => onChange({ ...form, loops })}
        error={error}
        isFixed={fixed.includes('loops')}
      />
      <Checkbox
        label="Models can be called by their own ids"
        description={`Otherwise callers can only use the routes of the workspace. ${fixed.includes('direct_models') ? 'Set in switchyard.yaml.' : ''}`}
        checked={form.direct_models}
        onChange={(event) => onChange({ ...form, direct_models: event.currentTarget.checked })}
        error={problemAt(error, 'direct_models')}
        disabled={fixed.includes('direct_models')}
      />
      <TextInput
        label="Markup for your own customers"
        description={`In percent of the cost, such as 20. Shown beside the cost and never part of budgets. ${pricesText(form)}${fixed.includes('resale') ? 'Set in switchyard.yaml.' : ''}`}
        placeholder="None"
        inputMode="decimal"
        value={form.markup}
        onChange={(event) => onChange({ ...form, markup: event.currentTarget.value })}
        error={problemAt(error, 'resale.markup_percent')}
        disabled={fixed.includes('resale')}
      />
      {!fixed.includes('limits') && <LimitsOfWorkspace form={form} onChange={onChange} error={error} />}
    </Stack>
  )
}

function LimitsOfWorkspace({ form, onChange, error }: WorkspaceFieldsProps) {
  return (
    <>
      <Text size="sm" c="dimmed" mt="xs">
        Limits for all its keys together. A call must fit these and the limits of its key.
      </Text>
      <LimitsFields form={form.limits} onChange={(limits) => onChange({ ...form, limits })} error={error} isWorkspace />
      <Select
        label="Unconfirmed spend that counts in budgets"
        description="Of calls that a provider may bill although it gave no count of tokens. Less than all of it may exceed a hard budget."
        data={UNCONFIRMED}
        value={form.limits.unconfirmed === '' ? 'bound' : form.limits.unconfirmed}
        allowDeselect={false}
        onChange={(policy) => {
          const unconfirmed = policy === 'bound' ? '' : ((policy ?? '') as LimitsForm['unconfirmed'])
          onChange({ ...form, limits: { ...form.limits, unconfirmed } })
        }}
        comboboxProps={{ shadow: 'md' }}
      />
    </>
  )
}

function pricesText({ prices = {} }: WorkspaceForm): string {
  const own = Object.keys(prices).length
  return own === 0
    ? ''
    : `${own === 1 ? 'One route or model has' : `${own} routes and models have`} prices of their own. `
}
