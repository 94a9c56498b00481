import { Group, Switch, Text } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useChange, useOperation } from '../../api/hooks.ts'
import { useRefusal } from '../../api/session.ts'
import { Confirm } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Panel } from '../../components/panel.tsx'
import { Loaded } from '../../components/states.tsx'
import { ManagedBadge } from '../../components/status.tsx'
import { tell } from '../../components/tell.ts'
import { CreateRule } from './create-rule.tsx'
import { EditRule } from './edit-rule.tsx'
import { hasFigures, type Rule } from './rule-figures.tsx'

const WORDS: Readonly<Record<Rule['rule'], (rule: Rule) => string>> = {
  budget: ({ thresholds }) => `A key or workspace has spent ${listed(thresholds ?? [])} % of its budget`,
  circuit_open: ({ seconds }) => `A provider's model keeps failing and is skipped for ${seconds} s`,
  provider_account: () => 'A provider rejects its key, or the account has no credit',
  error_rate: ({ percent, factor, calls }) =>
    `A route's error rate exceeds ${percent} % and ${factor}× normal (${calls}+ calls)`,
  latency: ({ factor, calls }) => `A model's p95 latency is ${factor}× normal (${calls}+ calls)`,
  log_backlog: ({ seconds }) => `The request log is ${seconds} s behind`,
  unpriced: () => 'Calls are served by a model without a price',
  reconciliation_drift: ({ usd, percent }) =>
    `A settled report differs from the log by more than $${usd} or ${percent} % of a day, and no cause explains it`,
  loop: () => 'A session is watched for loops and shows a signal of one',
  prompt_cache: ({ factor, calls }) =>
    `A route reads ${factor}× less than normal from the prompt cache (${calls}+ calls in two hours)`,
  stated_cost: () => 'A provider states another cost than ours, beyond rounding',
}

function listed(thresholds: readonly number[]): string {
  return [thresholds.slice(0, -1).join(', '), ...thresholds.slice(-1)].filter(Boolean).join(' or ')
}

interface Chosen {
  onEdit: (rule: Rule) => void
  onDelete: (rule: Rule) => void
}

function columnsWith({ onEdit, onDelete }: Chosen): Column<Rule>[] {
  return [
    { name: 'what', title: 'Condition', cell: (rule) => <Condition of={rule} /> },
    {
      name: 'actions',
      title: 'Actions',
      figures: true,
      cell: (rule) => {
        const [mayEdit, mayDelete] = [hasFigures(rule), !rule.is_builtin]
        if (rule.managed_by === null && !mayEdit && !mayDelete) return null
        return (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <ManagedBadge by={rule.managed_by} />
            {mayEdit && rule.managed_by === null && (
              <MayButton
                to="alert-rules.update"
                variant="default"
                size="compact-xs"
                onClick={() => onEdit(rule)}
                aria-label={`Edit the rule ${rule.name}`}
              >
                Edit
              </MayButton>
            )}
            {mayDelete && rule.managed_by === null && (
              <MayButton
                to="alert-rules.delete"
                variant="default"
                size="compact-xs"
                c="var(--bad)"
                onClick={() => onDelete(rule)}
                aria-label={`Delete the rule ${rule.name}`}
              >
                Delete
              </MayButton>
            )}
          </Group>
        )
      },
    },
    { name: 'enabled', title: 'On', figures: true, cell: (rule) => <RuleSwitch of={rule} /> },
  ]
}

/** What raises the alert; of an added rule also its name and what it is limited to. */
function Condition({ of: rule }: { of: Rule }) {
  const { workspace, key, route, provider } = rule
  const targets = Object.entries({ workspace, key, route, provider }).filter(([, name]) => name !== null)
  const words = WORDS[rule.rule](rule)
  if (rule.is_builtin) return words
  return (
    <Text size="sm" component="div" style={{ whiteSpace: 'normal' }}>
      <b>{rule.name}</b> · {words}
      {targets.length > 0 && (
        <Text size="xs" c="dimmed">
          Only {targets.map(([target, name]) => `${target} ${name}`).join(', ')}
        </Text>
      )}
    </Text>
  )
}

function RuleSwitch({ of: { name, enabled, managed_by } }: { of: Rule }) {
  const update = useChange('alert-rules.update')
  const mayNot = useRefusal('alert-rules.update')
  const refusal = managed_by === null ? mayNot : 'Set in switchyard.yaml; change it there.'
  return (
    <Switch
      size="xs"
      display="inline-block"
      style={{ verticalAlign: 'middle' }}
      aria-label={`The rule ${name}`}
      checked={enabled}
      disabled={update.isPending || refusal !== undefined}
      title={refusal}
      onChange={(event) => update.mutate({ params: { rule: name }, body: { enabled: event.currentTarget.checked } })}
    />
  )
}

export function RulesPanel() {
  const rules = useOperation('alert-rules.list', {})
  const [editing, setEditing] = useState<Rule | null>(null)
  const [deleting, setDeleting] = useState<Rule | null>(null)
  const [isAdding, setAdding] = useState(false)
  return (
    <Panel
      title="Rules"
      description="What raises an alert. Normal is the median of the last seven days."
      flush
      actions={
        <MayButton
          to="alert-rules.create"
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => setAdding(true)}
        >
          Add a rule
        </MayButton>
      }
    >
      <Loaded query={rules}>
        {({ data }) => (
          <>
            <DataTable
              label="Rules"
              columns={columnsWith({ onEdit: setEditing, onDelete: setDeleting })}
              rows={data}
              rowKey={({ name }) => name}
            />
            {isAdding && (
              <CreateRule builtin={data.filter((rule) => rule.is_builtin)} onClose={() => setAdding(false)} />
            )}
          </>
        )}
      </Loaded>
      {editing !== null && (
        <EditRule of={editing} title={WORDS[editing.rule](editing)} onClose={() => setEditing(null)} />
      )}
      {deleting !== null && <DeleteRule of={deleting} onClose={() => setDeleting(null)} />}
    </Panel>
  )
}

function DeleteRule({ of: { name }, onClose }: { of: Rule; onClose: () => void }) {
  const remove = useChange('alert-rules.delete')
  function confirm() {
    const onSuccess = () => {
      tell(`Rule ${name} deleted`)
      onClose()
    }
    remove.mutate({ params: { rule: name } }, { onSuccess })
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete the rule ${name}?`}
      action="Delete the rule"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
    >
      Its open alerts are resolved.
    </Confirm>
  )
}
