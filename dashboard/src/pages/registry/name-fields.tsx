import { Select, TextInput } from '@mantine/core'
import { useAll } from '../../api/hooks.ts'
import type { ModelDraft } from './model-draft.ts'
import classes from './registry.module.css'

export interface NameFieldsProps {
  draft: ModelDraft
  onChange: (change: Partial<ModelDraft>) => void
  isTaken: boolean
}

/** Whose model it is, and what the provider calls it. */
export function NameFields({ draft, onChange, isTaken }: NameFieldsProps) {
  const providers = useAll('providers.list', {})
  return (
    <div className={classes['fields']}>
      <Select
        label="Provider"
        data={providers.data?.map(({ name }) => name) ?? []}
        value={draft.provider === '' ? null : draft.provider}
        onChange={(provider) => onChange({ provider: provider ?? '' })}
        searchable
        allowDeselect={false}
        required
      />
      <TextInput
        label="Model"
        placeholder="as the provider writes it"
        value={draft.model}
        onChange={(event) => onChange({ model: event.currentTarget.value })}
        error={isTaken && 'Already in the registry. Open it to edit it.'}
        maxLength={256}
        required
      />
    </div>
  )
}
