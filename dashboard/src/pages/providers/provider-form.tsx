import { Button, Group, Stack, TextInput } from '@mantine/core'
import { PlugZap } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { FormError } from '../../components/form-error.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { AdvancedFields } from './advanced-fields.tsx'
import { FamilyFields } from './family-fields.tsx'
import { KeyField } from './key-field.tsx'
import { bodyOf, draftOf, leavesHome, type ProviderDraft } from './provider-draft.ts'
import type { Provider } from './provider-health.ts'
import { knownAddress, type ProviderKinds } from './provider-kinds.ts'
import type { Trial } from './trial.ts'
import { TrialPanel } from './trial-panel.tsx'
import { AddressField } from './vendor-fields.tsx'

export interface ProviderFormProps {
  /** Null for a new one. */
  stored: Provider | null
  /** The version that was read: a newer one is not overwritten. */
  etag: string | null
  kinds: ProviderKinds
  /** What a new one begins with. */
  start?: Partial<ProviderDraft>
  /** It must name its own address. */
  isCustom?: boolean
  /** Names that a new one may not have. */
  taken?: readonly string[]
  onCancel: () => void
  /** `trial`: its test, null if it was skipped. */
  onSaved: (name: string, trial: Trial | null) => void
  onReload?: () => void
}

const FIELDS = [
  ...['name', 'preset', 'family', 'base_url', 'api_key'],
  ...['settings', 'credentials', 'headers', 'proxy', 'ca'],
]

/** The draft, its test and its saving. */
function useProviderForm(props: ProviderFormProps) {
  const { kinds, taken = [], start = {} } = props
  // What was read when the form opened: a later read must neither wipe what is typed nor hide a conflict.
  const [{ stored, etag }] = useState({ stored: props.stored, etag: props.etag })
  const [draft, setDraft] = useState(() => ({ ...draftOf(stored, kinds), ...start }))
  const [model, setModel] = useState('')
  const [tried, setTried] = useState<{ of: string; trial: Trial } | null>(null)
  const put = useChange('providers.put')
  const trial = useChange('providers.try')
  const name = draft.name.trim()
  const body = bodyOf(draft, kinds)
  const of = JSON.stringify([name, body])
  const isTested = tried?.of === of && tried.trial.ok
  const isTaken = stored === null && taken.includes(name)
  const named = model.trim() === '' ? {} : { model: model.trim() }

  return {
    ...{ stored, draft, model, setModel, tried, isTested, isTaken },
    isStale: tried !== null && tried.of !== of,
    error: put.error ?? trial.error,
    isSaving: put.isPending,
    isTesting: trial.isPending,
    change: (part: Partial<ProviderDraft>) => setDraft((now) => ({ ...now, ...part })),
    test() {
      put.reset()
      // The form shows why not.
      void trial.mutateAsync({ params: { name }, body: { ...body, ...named } }).then(
        (reply) => {
          setTried({ of, trial: reply })
          if (reply.ok) save(reply)
        },
        () => undefined,
      )
    },
    save,
  }

  function save(answered: Trial | null = isTested ? tried.trial : null) {
    trial.reset()
    void put.mutateAsync({ params: { name }, body, ifMatch: etag, onlyNew: stored === null }).then(
      () => props.onSaved(name, answered),
      () => undefined,
    )
  }
}

export function ProviderForm(props: ProviderFormProps) {
  const { kinds, isCustom = false, onCancel, onReload } = props
  const form = useProviderForm(props)
  const { stored, draft, change, tried, isTested, isTaken, error } = form
  const element = useRef<HTMLFormElement>(null)
  const problem = (field: string) => problemAt(error, field)
  const known = isCustom ? null : knownAddress(kinds, draft.family, draft.preset)
  // The environment may know the address of a stored one.
  const usual = known === null && stored !== null && stored.base_url === null ? '' : known
  const isAddressMain = usual === null || (stored?.base_url ?? null) !== null
  const address = {
    ...{ value: draft.baseUrl, usual, error: problem('base_url') },
    onChange: (baseUrl: string) => change({ baseUrl }),
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isTaken) return
    if (isTested) form.save()
    else form.test()
  }

  return (
    <form onSubmit={submit} ref={element}>
      <Stack>
        {stored === null && (
          <TextInput
            label="Name"
            description="The name routes use. It can’t be changed later."
            value={draft.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            error={isTaken ? 'A provider with this name already exists' : problem('name')}
            pattern="[a-z0-9][a-z0-9_\-]*"
            title="Lower-case letters, digits, - and _"
            maxLength={64}
            required
          />
        )}
        {isAddressMain && <AddressField {...address} />}
        <KeyField
          value={draft.key}
          onChange={(key) => change({ key })}
          hasStored={stored?.has_api_key === true}
          error={
            problem('api_key') ??
            (leavesHome(stored, draft) && draft.key.kind === 'keep'
              ? 'It would be sent to another server. Type it again.'
              : undefined)
          }
        />
        <FamilyFields kinds={kinds} draft={draft} onChange={change} problemAt={problem} />
        <AdvancedFields
          kinds={kinds}
          draft={draft}
          address={isAddressMain ? null : address}
          onChange={change}
          problemAt={problem}
        />
        {tried !== null && (
          <TrialPanel trial={tried.trial} isStale={form.isStale} model={form.model} onModel={form.setModel} />
        )}
        <FormError error={error} fields={FIELDS} {...(onReload && { onReload })} />
        <Actions form={form} onCancel={onCancel} isValid={() => element.current?.reportValidity() === true} />
      </Stack>
    </form>
  )
}

interface ActionsProps {
  form: ReturnType<typeof useProviderForm>
  isValid: () => boolean
  onCancel: () => void
}

/** A test that succeeds saves at once; saving without one says so. */
function Actions({ form, isValid, onCancel }: ActionsProps) {
  const { isTested, isTaken, stored } = form
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      {isTested ? (
        <MayButton to="providers.put" type="submit" loading={form.isSaving}>
          {stored === null ? 'Add provider' : 'Save'}
        </MayButton>
      ) : (
        <>
          <MayButton
            to="providers.put"
            variant="default"
            loading={form.isSaving}
            onClick={() => isValid() && !isTaken && form.save()}
          >
            Save without testing
          </MayButton>
          <MayButton
            to="providers.try"
            type="submit"
            leftSection={<PlugZap size={15} aria-hidden />}
            loading={form.isTesting}
            title="Makes one short call, billed by the provider"
          >
            {stored === null ? 'Test and add' : 'Test and save'}
          </MayButton>
        </>
      )}
    </Group>
  )
}
