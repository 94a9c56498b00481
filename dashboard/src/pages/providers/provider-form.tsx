import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { FormError } from '../../components/form-error.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { ChoiceField } from './choice-field.tsx'
import { FamilyFields } from './family-fields.tsx'
import { HeadersEditor } from './headers-editor.tsx'
import { KeyField } from './key-field.tsx'
import { bodyOf, callerLeftOf, draftOf, leavesHome, type ProviderDraft } from './provider-draft.ts'
import type { Provider } from './provider-health.ts'
import type { ProviderKinds } from './provider-kinds.ts'
import { SpeaksField } from './speaks-field.tsx'
import { VendorFields } from './vendor-fields.tsx'
import { AuthoritiesField, ProxyField } from './way-out-fields.tsx'

export interface ProviderFormProps {
  /** Null for a new one. */
  stored: Provider | null
  /** The version that was read, so that nobody else's change is overwritten. */
  etag: string | null
  kinds: ProviderKinds
  /** Names that a new one may not have: it would replace what is there. */
  taken?: readonly string[]
  onCancel: () => void
  onSaved: (name: string) => void
  onReload?: () => void
}

const FIELDS = [
  ...['name', 'preset', 'family', 'base_url', 'api_key'],
  ...['settings', 'credentials', 'headers', 'proxy', 'ca'],
]

const CALLER_LEFT = {
  abort: ['Abort', 'End the call: most providers bill what was generated so far'],
  drain: ['Drain', 'Read it to its end: for providers that bill the whole answer anyway'],
} as const
const ON_ESTIMATE = {
  estimate: ['Estimate', 'Book what was delivered, within bounds'],
  hold: ['Hold', 'Book all that was held: for providers that may bill more'],
} as const

export function ProviderForm(props: ProviderFormProps) {
  const { kinds, taken = [], onCancel, onSaved, onReload } = props
  // What was read when the form was opened: a later read must neither wipe what is typed nor hide a conflict.
  const [{ stored, etag }] = useState({ stored: props.stored, etag: props.etag })
  const [draft, setDraft] = useState(() => draftOf(stored, kinds))
  const put = useChange('providers.put')
  const change = (part: Partial<ProviderDraft>) => setDraft((now) => ({ ...now, ...part }))
  const name = draft.name.trim()
  const isTaken = stored === null && taken.includes(name)
  const isAway = leavesHome(stored, draft)
  const problem = (field: string) => problemAt(put.error, field)

  function save(event: FormEvent) {
    event.preventDefault()
    if (isTaken) return
    void put
      .mutateAsync({ params: { name }, body: bodyOf(draft, kinds), ifMatch: etag, onlyNew: stored === null })
      .then(
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
            error={isTaken ? 'A provider with this name already exists' : problem('name')}
            pattern="[a-z0-9][a-z0-9_\-]*"
            title="Lower-case letters, digits, - and _"
            maxLength={64}
            data-autofocus
            required
          />
        )}
        <VendorFields
          kinds={kinds}
          preset={draft.preset}
          family={draft.family}
          baseUrl={draft.baseUrl}
          isAddressOptional={stored !== null && stored.base_url === null}
          onChange={change}
          problemAt={problem}
        />
        <KeyField
          value={draft.key}
          onChange={(key) => change({ key })}
          hasStored={stored?.has_api_key === true}
          error={
            problem('api_key') ??
            (isAway && draft.key.kind === 'keep' ? 'It would go to another server: type it again' : undefined)
          }
        />
        <FamilyFields kinds={kinds} draft={draft} onChange={change} problemAt={problem} />
        <HeadersEditor headers={draft.headers} onChange={(headers) => change({ headers })} error={problem('headers')} />
        <ProxyField value={draft.proxy} onChange={(proxy) => change({ proxy })} error={problem('proxy')} />
        <AuthoritiesField value={draft.ca} onChange={(ca) => change({ ca })} error={problem('ca')} />
        <ChoiceField
          label="When the caller of a stream leaves"
          choices={CALLER_LEFT}
          value={callerLeftOf(draft, kinds)}
          onChange={(onCallerLeft) => change({ onCallerLeft })}
        />
        <ChoiceField
          label="When it did not count the tokens to the end"
          choices={ON_ESTIMATE}
          value={draft.onEstimate}
          onChange={(onEstimate) => change({ onEstimate })}
        />
        <SpeaksField value={draft.speaks} onChange={(speaks) => change({ speaks })} />
        <FormError error={put.error} fields={FIELDS} {...(onReload && { onReload })} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <MayButton to="providers.put" type="submit" loading={put.isPending}>
            {stored === null ? 'Add the provider' : 'Save'}
          </MayButton>
        </Group>
      </Stack>
    </form>
  )
}
