import { Button, Fieldset, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAll } from '../../../api/hooks.ts'
import { useWorkspace } from '../../../shell/place.ts'
import { claimsOf, type RuleForm } from './issuer-form.ts'

interface RuleFieldsProps {
  place: number
  rule: RuleForm
  onChange: (rule: RuleForm) => void
  onRemove: () => void
}

/** Which tokens a rule is for, and whose key they stand for. */
export function RuleFields({ place, rule, onChange, onRemove }: RuleFieldsProps) {
  return (
    <Fieldset legend={`Rule ${place + 1}`} p="sm">
      <Stack gap="sm">
        <Textarea
          label="Claims"
          description="One claim=value a line, each the whole value. Several lines of one claim: any of them."
          placeholder="repository_id=1296269"
          required
          autosize
          minRows={2}
          value={rule.when}
          onChange={(event) => onChange({ ...rule, when: event.currentTarget.value })}
          error={claimsOf(rule.when) === null ? 'Write claim=value, one a line' : undefined}
        />
        <KeySelect value={rule.keyId} onChange={(keyId) => onChange({ ...rule, keyId })} />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            label="User"
            description="Claim that names the user; empty: as the caller says"
            value={rule.user}
            onChange={(event) => onChange({ ...rule, user: event.currentTarget.value })}
          />
          <TextInput
            label="Session"
            description="Claim for calls that name no session"
            value={rule.session}
            onChange={(event) => onChange({ ...rule, session: event.currentTarget.value })}
          />
        </SimpleGrid>
        <Button variant="subtle" size="compact-xs" c="var(--bad)" style={{ alignSelf: 'flex-end' }} onClick={onRemove}>
          Remove the rule
        </Button>
      </Stack>
    </Fieldset>
  )
}

interface KeySelectProps {
  value: string
  onChange: (id: string) => void
}

/** A key of any workspace: first the workspace. */
function KeySelect({ value, onChange }: KeySelectProps) {
  const current = useWorkspace()
  const [workspace, setWorkspace] = useState(current)
  const workspaces = useAll('workspaces.list', {})
  const keys = useAll('keys.list', { query: { workspace, state: 'live' } })
  const named = keys.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []
  const isKnown = value === '' || named.some((each) => each.value === value)
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <Select
        label="Workspace"
        description="Of the key"
        data={workspaces.data?.map(({ name }) => name) ?? [workspace]}
        value={workspace}
        allowDeselect={false}
        onChange={(name) => setWorkspace(name ?? current)}
        comboboxProps={{ shadow: 'md' }}
      />
      <Select
        label="Gateway key"
        description="Its models, limits and budgets apply"
        required
        searchable
        data={isKnown ? named : [...named, { value, label: value }]}
        value={value === '' ? null : value}
        onChange={(id) => onChange(id ?? '')}
        comboboxProps={{ shadow: 'md' }}
      />
    </SimpleGrid>
  )
}
