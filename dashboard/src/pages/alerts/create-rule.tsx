import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange, useOperation } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { FormError } from '../../components/form-error.tsx'
import { FormModal } from '../../components/forms/typed-guard.tsx'
import { tell } from '../../components/tell.ts'
import { FIGURE_FIELDS, type Rule, useFigures } from './rule-figures.tsx'

type Kind = Rule['rule']
type Target = 'workspace' | 'key' | 'route' | 'provider'

/** What can be watched with figures of its own, and what it can be limited to. The gateway checks both. */
const KINDS: Readonly<Partial<Record<Kind, { label: string; targets: readonly Target[] }>>> = {
  budget: { label: 'Budget use', targets: ['workspace', 'key'] },
  error_rate: { label: 'Error rate', targets: ['workspace', 'route'] },
  latency: { label: 'Latency', targets: ['workspace', 'route', 'provider'] },
  circuit_open: { label: 'Failing model', targets: ['provider'] },
  provider_account: { label: 'Provider account', targets: ['provider'] },
  unpriced: { label: 'Model without a price', targets: ['workspace', 'provider'] },
}
const TARGETS: Readonly<Record<Target, { label: string; all: string }>> = {
  workspace: { label: 'Workspace', all: 'All workspaces' },
  key: { label: 'Key', all: 'All keys' },
  route: { label: 'Route', all: 'All routes' },
  provider: { label: 'Provider', all: 'All providers' },
}

/** A rule next to the built-in ones; it begins with their figures. */
export function CreateRule({ builtin, onClose }: { builtin: readonly Rule[]; onClose: () => void }) {
  const [kind, setKind] = useState<Kind>('budget')
  const [name, setName] = useState('')
  const base = builtin.find(({ rule }) => rule === kind)
  return (
    <FormModal opened onClose={onClose} title="Add a rule" size="md">
      <Stack>
        <Select
          label="Watch"
          allowDeselect={false}
          value={kind}
          onChange={(value) => setKind((value ?? 'budget') as Kind)}
          data={Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))}
        />
        {base !== undefined && <RuleForm key={kind} base={base} name={name} onName={setName} onClose={onClose} />}
      </Stack>
    </FormModal>
  )
}

interface RuleFormProps {
  base: Rule
  /** Kept while another kind is chosen. */
  name: string
  onName: (name: string) => void
  onClose: () => void
}

function RuleForm({ base, name, onName, onClose }: RuleFormProps) {
  const create = useChange('alert-rules.create')
  const { body, fields } = useFigures(base)
  const [targets, setTargets] = useState<Partial<Record<Target, string>>>({})
  const offered = useTargets(targets.workspace)
  const shown = (KINDS[base.rule]?.targets ?? []).filter(
    (target) => !(['key', 'route'].includes(target) && targets.workspace === undefined),
  )
  function choose(target: Target, value: string | null) {
    const { [target]: _, ...rest } = target === 'workspace' ? { provider: targets.provider } : targets
    const kept = Object.entries({ ...rest, [target]: value ?? undefined }).filter(([, each]) => each !== undefined)
    setTargets(Object.fromEntries(kept))
  }
  function save(event: FormEvent) {
    event.preventDefault()
    const onSuccess = () => {
      tell(`Rule ${name} added`)
      onClose()
    }
    create.mutate({ body: { name, rule: base.rule, ...body, ...targets } }, { onSuccess })
  }
  return (
    <form onSubmit={save}>
      <Stack>
        <TextInput
          label="Name"
          description="Letters, digits, . _ -. Must be unique."
          required
          data-autofocus
          value={name}
          onChange={(event) => onName(event.currentTarget.value)}
          error={problemAt(create.error, 'name')}
        />
        {shown.map((target) => (
          <Select
            key={target}
            label={TARGETS[target].label}
            placeholder={TARGETS[target].all}
            clearable
            searchable
            value={targets[target] ?? null}
            onChange={(value) => choose(target, value)}
            data={offered[target]}
            error={problemAt(create.error, target)}
          />
        ))}
        {fields(create.error)}
        <FormError error={create.error} fields={['name', ...shown, ...FIGURE_FIELDS]} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Add the rule
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Names to choose from; keys and routes are those of the chosen workspace. */
function useTargets(workspace: string | undefined): Record<Target, string[]> {
  const isChosen = { enabled: workspace !== undefined }
  const inIt = { workspace: workspace ?? 'default', limit: 500 }
  const workspaces = useOperation('workspaces.list', { query: {} })
  const providers = useOperation('providers.list', { query: { limit: 500 } })
  const keys = useOperation('keys.list', { query: { ...inIt, state: 'live' } }, isChosen)
  const routes = useOperation('routes.list', { query: inIt }, isChosen)
  return {
    workspace: workspaces.data?.data.map(({ name }) => name) ?? [],
    key: [...new Set(keys.data?.data.map(({ name }) => name))],
    route: routes.data?.data.map(({ alias }) => alias) ?? [],
    provider: providers.data?.data.map(({ name }) => name) ?? [],
  }
}
