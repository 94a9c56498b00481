import { Button, Group, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { ApiError } from '../../../api/client.ts'
import { useChange } from '../../../api/hooks.ts'
import { problemAt } from '../../../api/problem.ts'
import { FormError } from '../../../components/form-error.tsx'
import { FormModal } from '../../../components/forms/typed-guard.tsx'
import { tell } from '../../../components/tell.ts'
import { type Issuer, type IssuerForm, isIssuerReady, issuerForm, issuerOf, ruleForm } from './issuer-form.ts'
import { RuleFields } from './rule-fields.tsx'

const FIELDS = ['name', 'issuer', 'audiences', 'clients', 'jwks_url']

/** A new token issuer, or the settings of one. */
export function EditIssuer({ of, onClose }: { of: Issuer | null; onClose: () => void }) {
  const put = useChange('token-issuers.put')
  const [form, setForm] = useState(() => issuerForm(of))
  const change = (part: Partial<typeof form>) => setForm({ ...form, ...part })
  const { error } = put

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isIssuerReady(form)) return
    const name = form.name.trim()
    const onSuccess = () => {
      tell(of === null ? `Token issuer ${name} added` : `Token issuer ${name} saved`)
      onClose()
    }
    put.mutate({ params: { name }, body: issuerOf(form, of) }, { onSuccess })
  }

  return (
    <FormModal opened onClose={onClose} title={of === null ? 'Add a token issuer' : `Change ${of.name}`} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <IssuerFields form={form} change={change} error={error} isNew={of === null} />
          {form.rules.map((rule, place) => (
            <RuleFields
              key={rule.id}
              place={place}
              rule={rule}
              onChange={(changed) => change({ rules: form.rules.with(place, changed) })}
              onRemove={() => change({ rules: form.rules.toSpliced(place, 1) })}
            />
          ))}
          <Button variant="default" onClick={() => change({ rules: [...form.rules, ruleForm(null)] })}>
            Add a rule
          </Button>
          <Switch
            label="Accept its tokens"
            checked={form.enabled}
            onChange={(event) => change({ enabled: event.currentTarget.checked })}
          />
          <FormError error={error} fields={FIELDS} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={put.isPending} disabled={!isIssuerReady(form)}>
              {of === null ? 'Add the issuer' : 'Save'}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  )
}

interface IssuerFieldsProps {
  form: IssuerForm
  change: (part: Partial<IssuerForm>) => void
  error: ApiError | null
  isNew: boolean
}

function IssuerFields({ form, change, error, isNew }: IssuerFieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        description="Letters, digits, . _ -"
        required
        disabled={!isNew}
        data-autofocus={isNew || undefined}
        autoComplete="off"
        value={form.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        error={problemAt(error, 'name')}
      />
      <TextInput
        label="Issuer"
        description="The claim iss, to the letter: the whole address, with its scheme"
        required
        value={form.issuer}
        onChange={(event) => change({ issuer: event.currentTarget.value })}
        error={problemAt(error, 'issuer')}
      />
      <TagsInput
        label="Audiences"
        description="aud must be one of them. Use an audience of your own."
        required
        value={form.audiences}
        onChange={(audiences) => change({ audiences })}
        splitChars={[',', ' ']}
        error={problemAt(error, 'audiences')}
      />
      <TagsInput
        label="Clients"
        description="azp or client_id must be one of them. Empty: any, for tokens whose every audience is listed."
        value={form.clients}
        onChange={(clients) => change({ clients })}
        splitChars={[',', ' ']}
        error={problemAt(error, 'clients')}
      />
      <TextInput
        label="Address of its keys"
        description="Empty: as its discovery document says"
        value={form.jwksUrl}
        onChange={(event) => change({ jwksUrl: event.currentTarget.value })}
        error={problemAt(error, 'jwks_url')}
      />
    </>
  )
}
