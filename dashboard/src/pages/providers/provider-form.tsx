import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { FormError } from '../../components/form-error.tsx'
import { CallerLeftField } from './caller-left-field.tsx'
import { EstimateField } from './estimate-field.tsx'
import { HeadersEditor } from './headers-editor.tsx'
import { KeyField } from './key-field.tsx'
import { bodyOf, draftOf, leavesHome, type ProviderDraft } from './provider-draft.ts'
import type { Provider } from './provider-health.ts'
import { SpeaksField } from './speaks-field.tsx'

export interface ProviderFormProps {
  /** Null for a new one. */
  stored: Provider | null
  /** The version that was read, so that nobody else's change is overwritten. */
  etag: string | null
  families: readonly string[]
  /** Names that a new one may not have: it would replace what is there. */
  taken?: readonly string[]
  onCancel: () => void
  onSaved: (name: string) => void
  onReload?: () => void
}

const FIELDS = ['name', 'family', 'base_url', 'api_key', 'headers']

export function ProviderForm(props: ProviderFormProps) {
  const { families, taken = [], onCancel, onSaved, onReload } = props
  // What was read when the form was opened: a later read must neither wipe what is typed nor hide a conflict.
  const [{ stored, etag }] = useState({ stored: props.stored, etag: props.etag })
  const [draft, setDraft] = useState(() => draftOf(stored, families))
  const put = useChange('providers.put')
  const change = (part: Partial<ProviderDraft>) => setDraft((now) => ({ ...now, ...part }))
  const name = draft.name.trim()
  const isTaken = stored === null && taken.includes(name)
  const isAway = leavesHome(stored, draft)

  function save(event: FormEvent) {
    event.preventDefault()
    if (isTaken) return
    void put.mutateAsync({ params: { name }, body: bodyOf(draft), ifMatch: etag, onlyNew: stored === null }).then(
      () => onSaved(name),
      // Why not stands in the form.
      () => undefined,
    )
  }

  return (
    <form onSubmit={save}>
      <Stack>
        {stored === null && (
          <TextInput
            label="Name"
            description="What chains of routes call it. It cannot be changed later"
            value={draft.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            error={isTaken ? 'A provider with this name already exists' : problemAt(put.error, 'name')}
            pattern="[a-z0-9][a-z0-9_\-]*"
            title="Lower-case letters, digits, - and _"
            maxLength={64}
            data-autofocus
            required
          />
        )}
        <Select
          label="Family"
          description="Which wire format it speaks"
          placeholder="Choose one"
          data={[...families]}
          value={draft.family === '' ? null : draft.family}
          onChange={(family) => change({ family: family ?? '' })}
          error={problemAt(put.error, 'family')}
          allowDeselect={false}
          required
        />
        <AddressField
          value={draft.baseUrl}
          onChange={(baseUrl) => change({ baseUrl })}
          isNeeded={stored === null || stored.base_url !== null}
          error={problemAt(put.error, 'base_url')}
        />
        <KeyField
          value={draft.key}
          onChange={(key) => change({ key })}
          hasStored={stored?.has_api_key === true}
          error={
            problemAt(put.error, 'api_key') ??
            (isAway && draft.key.kind === 'keep' ? 'The address is another server: type its key' : undefined)
          }
        />
        <HeadersEditor
          headers={draft.headers}
          onChange={(headers) => change({ headers })}
          error={problemAt(put.error, 'headers')}
        />
        <CallerLeftField value={draft.onCallerLeft} onChange={(onCallerLeft) => change({ onCallerLeft })} />
        <EstimateField value={draft.onEstimate} onChange={(onEstimate) => change({ onEstimate })} />
        <SpeaksField value={draft.speaks} onChange={(speaks) => change({ speaks })} />
        <FormError error={put.error} fields={FIELDS} {...(onReload && { onReload })} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={put.isPending}>
            {stored === null ? 'Add the provider' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface AddressFieldProps {
  value: string
  onChange: (value: string) => void
  isNeeded: boolean
  error: string | undefined
}

function AddressField({ value, onChange, isNeeded, error }: AddressFieldProps) {
  const what = 'Up to where the paths of the API begin'
  return (
    <TextInput
      label="Base URL"
      description={isNeeded ? what : `${what}. Empty: the public address of its family`}
      placeholder="http://127.0.0.1:8000/v1"
      type="url"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      required={isNeeded}
    />
  )
}
