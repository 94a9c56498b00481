import { Button, Fieldset, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAll, useChange } from '../../api/hooks.ts'
import { FormError } from '../../components/form-error.tsx'
import { PRICE_CLASSES } from '../../format/token-classes.ts'
import { FactFields } from './fact-fields.tsx'
import { bodyOfModel, draftOfModel, emptyDraft, hasPriceProblem, type ModelDraft } from './model-draft.ts'
import { NameFields } from './name-fields.tsx'
import { PriceFields } from './price-fields.tsx'
import classes from './registry.module.css'
import type { RegistryModel } from './registry-list.ts'
import { TiersEditor } from './tiers-editor.tsx'
import { UnitsEditor } from './units-editor.tsx'

export interface ModelFormProps {
  /** Null: provider and model are typed here. */
  place: { provider: string; model: string } | null
  /** Null for a model that the registry does not have. */
  stored: RegistryModel | null
  etag: string | null
  onCancel: () => void
  onSaved: (place: { provider: string; model: string }) => void
  onReload: () => void
}

const FIELDS = [...PRICE_CLASSES.map(({ field }) => field), 'context_window', 'max_input_tokens', 'max_output_tokens']

export function ModelForm({ place, onCancel, onSaved, onReload, ...read }: ModelFormProps) {
  // What was read when the form was opened: a later read must neither wipe what is typed nor hide a conflict.
  const [{ stored, etag }] = useState(read)
  const [draft, setDraft] = useState(() =>
    stored === null ? emptyDraft(place?.provider ?? '', place?.model ?? '') : draftOfModel(stored),
  )
  const put = useChange('registry.put')
  const models = useAll('registry.list', {})
  const change = (part: Partial<ModelDraft>) => setDraft((now) => ({ ...now, ...part }))
  const params = { provider: draft.provider, model: draft.model.trim() }
  const isTaken =
    stored === null && models.data?.some((row) => row.provider === params.provider && row.model === params.model)

  function save(event: FormEvent) {
    event.preventDefault()
    if (hasPriceProblem(draft) || isTaken) return
    void put.mutateAsync({ params, body: bodyOfModel(draft, stored), ifMatch: etag }).then(
      () => onSaved(params),
      // The form shows why not.
      () => undefined,
    )
  }

  return (
    <form onSubmit={save}>
      <Stack gap="lg">
        {place === null && <NameFields draft={draft} onChange={change} isTaken={isTaken === true} />}
        <Fieldset
          legend="Prices, USD per million tokens"
          variant="unstyled"
          classNames={{ legend: classes['legendText'] ?? '' }}
        >
          <Stack gap="sm">
            <Text size="xs" c="dimmed">
              Changed prices become a new version for calls that begin afterwards. Calls already made keep their cost.
            </Text>
            <PriceFields prices={draft} onChange={change} error={put.error} />
            <TiersEditor tiers={draft.tiers} onChange={(tiers) => change({ tiers })} error={put.error} />
          </Stack>
        </Fieldset>
        <Fieldset legend="Prices per unit" variant="unstyled" classNames={{ legend: classes['legendText'] ?? '' }}>
          <UnitsEditor units={draft.units} onChange={(units) => change({ units })} error={put.error} />
        </Fieldset>
        <Fieldset legend="Model" variant="unstyled" classNames={{ legend: classes['legendText'] ?? '' }}>
          <FactFields draft={draft} onChange={change} error={put.error} known={models.data ?? []} />
        </Fieldset>
        <FormError error={put.error} fields={FIELDS} onReload={onReload} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={put.isPending}>
            {stored === null ? 'Add the model' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
