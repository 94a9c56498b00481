import { Button, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Body, Reply } from '../../../api/client.ts'
import { useChange, useVersioned } from '../../../api/hooks.ts'
import { problemAt } from '../../../api/problem.ts'
import { FormError } from '../../../components/form-error.tsx'
import { LoadingRows } from '../../../components/states.tsx'
import classes from './next.module.css'
import type { StepFormProps } from './raise-form.tsx'
import type { Step, Unknown } from './steps.ts'

type ModelStep = Extract<Step, { kind: 'model' }>
type Stored = Reply<'registry.get'>

const FIELDS: Record<Unknown, { field: string; label: string }[]> = {
  price: [
    { field: 'input_per_mtok', label: 'Input, per million tokens' },
    { field: 'output_per_mtok', label: 'Output, per million tokens' },
  ],
  max_output_tokens: [{ field: 'max_output_tokens', label: 'Maximum output tokens' }],
  context_window: [{ field: 'context_window', label: 'Context window, tokens' }],
}

/** Fills in what the registry lacks for a hard budget; all else that is known of the model stays. */
export function ModelForm({ step, onDone, onCancel }: StepFormProps<ModelStep> & { onCancel: () => void }) {
  const { provider, model, unknown } = step
  const stored = useVersioned('registry.get', { params: { provider, model } })
  const put = useChange('registry.put')
  const fields = FIELDS[unknown]
  const [typed, setTyped] = useState<Record<string, string>>({})
  const isReady = fields.every(({ field }) => /^\d+(\.\d{1,6})?$/.test(typed[field] ?? ''))
  if (stored.isPending) return <LoadingRows rows={2} />

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isReady) return
    const values = fields.map(({ field }) => [field, unknown === 'price' ? typed[field] : Number(typed[field])])
    const version = stored.data === undefined ? { onlyNew: true } : { ifMatch: stored.data.etag }
    const what = unknown === 'price' ? 'price' : fields[0]?.label.toLowerCase()
    put.mutate(
      { params: { provider, model }, body: { ...kept(stored.data?.value), ...Object.fromEntries(values) }, ...version },
      { onSuccess: () => onDone(`The ${what} of ${provider}/${model} is set. Applies from the next call.`) },
    )
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <FormError error={put.error} fields={fields.map(({ field }) => field)} onReload={() => void stored.refetch()} />
        <div className={classes['form']}>
          {fields.map(({ field, label }, index) => (
            <TextInput
              key={field}
              label={label}
              {...(unknown === 'price' ? { leftSection: '$' } : {})}
              inputMode="decimal"
              autoComplete="off"
              autoFocus={index === 0}
              value={typed[field] ?? ''}
              error={problemAt(put.error, field)}
              onChange={(event) => setTyped({ ...typed, [field]: event.currentTarget.value.replace(/[\s$,]/g, '') })}
            />
          ))}
          <Button type="submit" size="sm" loading={put.isPending} disabled={!isReady}>
            Save
          </Button>
          <Button variant="default" size="sm" onClick={onCancel}>
            Cancel
          </Button>
        </div>
      </Stack>
    </form>
  )
}

/** The entry as it can be sent again. */
function kept(stored: Stored | undefined): Body<'registry.put'> {
  if (stored === undefined) return {}
  const { provider, model, price_version, price_source, priced_at, managed_by, updated_at, ...entry } = stored
  return entry
}
