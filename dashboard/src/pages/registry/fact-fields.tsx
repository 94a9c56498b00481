import { NumberInput, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import type { ApiError } from '../../api/client.ts'
import { problemAt } from '../../api/problem.ts'
import type { ModelDraft } from './model-draft.ts'
import classes from './registry.module.css'
import type { RegistryModel } from './registry-list.ts'

export interface FactFieldsProps {
  draft: ModelDraft
  onChange: (change: Partial<ModelDraft>) => void
  error: ApiError | null
  /** The models there are: their capabilities are offered. */
  known: readonly RegistryModel[]
}

const LENGTHS = [
  ['contextWindow', 'context_window', 'Context window'],
  ['maxInputTokens', 'max_input_tokens', 'Longest prompt'],
  ['maxOutputTokens', 'max_output_tokens', 'Longest answer'],
] as const

export function FactFields({ draft, onChange, error, known }: FactFieldsProps) {
  const capabilities = [...new Set(known.flatMap((model) => model.capabilities))].sort()
  return (
    <Stack gap="sm">
      <div className={classes['fields']}>
        {LENGTHS.map(([name, field, label]) => (
          <NumberInput
            key={name}
            label={label}
            placeholder="unknown"
            suffix=" tokens"
            thousandSeparator=","
            allowDecimal={false}
            min={1}
            hideControls
            value={draft[name]}
            onChange={(value) => onChange({ [name]: value === '' ? '' : Number(value) })}
            error={problemAt(error, field)}
          />
        ))}
      </div>
      <TagsInput
        label="Capabilities"
        data={capabilities}
        value={draft.capabilities}
        onChange={(next) => onChange({ capabilities: next })}
      />
      <TagsInput
        label="Also called"
        description="Other ids of the provider that mean this model"
        value={draft.aliases}
        onChange={(aliases) => onChange({ aliases })}
      />
      <Switch
        label="Deprecated"
        checked={draft.deprecated}
        onChange={(event) => onChange({ deprecated: event.currentTarget.checked })}
      />
      {(draft.deprecated || draft.shutdownDate !== '') && (
        <TextInput
          label="Shuts down on"
          type="date"
          w={180}
          value={draft.shutdownDate}
          onChange={(event) => onChange({ shutdownDate: event.currentTarget.value })}
          error={problemAt(error, 'shutdown_date')}
        />
      )}
      <Textarea
        label="Note"
        autosize
        maxLength={1000}
        value={draft.note}
        onChange={(event) => onChange({ note: event.currentTarget.value })}
      />
    </Stack>
  )
}
