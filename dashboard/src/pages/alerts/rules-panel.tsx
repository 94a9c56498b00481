import { Switch } from '@mantine/core'
import { useState } from 'react'
import { useChange, useOperation } from '../../api/hooks.ts'
import { useRefusal } from '../../api/session.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Panel } from '../../components/panel.tsx'
import { Loaded } from '../../components/states.tsx'
import { EditRule, isEditable, type Rule } from './edit-rule.tsx'

const WORDS: Readonly<Record<Rule['rule'], (rule: Rule) => string>> = {
  budget: ({ thresholds }) => `A key or workspace has spent ${listed(thresholds ?? [])} % of its budget`,
  circuit_open: ({ seconds }) => `A provider's model keeps failing and is skipped for ${seconds} s`,
  provider_account: () => 'A provider rejects its key, or the account has no credit',
  error_rate: ({ percent, factor, calls }) =>
    `A route's error rate exceeds ${percent} % and ${factor}× normal (${calls}+ calls)`,
  latency: ({ factor, calls }) => `A model's p95 latency is ${factor}× normal (${calls}+ calls)`,
  log_backlog: ({ seconds }) => `The request log is ${seconds} s behind`,
  unpriced: () => 'Calls are served by a model without a price',
}

function listed(thresholds: readonly number[]): string {
  return [thresholds.slice(0, -1).join(', '), ...thresholds.slice(-1)].filter(Boolean).join(' or ')
}

function columnsWith(onEdit: (rule: Rule) => void): Column<Rule>[] {
  return [
    { name: 'what', title: 'Condition', cell: (rule) => WORDS[rule.rule](rule) },
    {
      name: 'edit',
      title: 'Actions',
      figures: true,
      cell: (rule) =>
        isEditable(rule) && (
          <MayButton
            to="alert-rules.update"
            variant="default"
            size="compact-xs"
            onClick={() => onEdit(rule)}
            aria-label={`Edit the rule ${rule.rule}`}
          >
            Edit
          </MayButton>
        ),
    },
    { name: 'enabled', title: 'On', figures: true, cell: (rule) => <RuleSwitch of={rule} /> },
  ]
}

function RuleSwitch({ of: { rule, enabled } }: { of: Rule }) {
  const update = useChange('alert-rules.update')
  const refusal = useRefusal('alert-rules.update')
  return (
    <Switch
      size="xs"
      display="inline-block"
      style={{ verticalAlign: 'middle' }}
      aria-label={`The rule ${rule}`}
      checked={enabled}
      disabled={update.isPending || refusal !== undefined}
      title={refusal}
      onChange={(event) => update.mutate({ params: { rule }, body: { enabled: event.currentTarget.checked } })}
    />
  )
}

export function RulesPanel() {
  const rules = useOperation('alert-rules.list', {})
  const [editing, setEditing] = useState<Rule | null>(null)
  return (
    <Panel title="Rules" description="What raises an alert. Normal is the median of the last seven days." flush>
      <Loaded query={rules}>
        {({ data }) => (
          <DataTable label="Rules" columns={columnsWith(setEditing)} rows={data} rowKey={({ rule }) => rule} />
        )}
      </Loaded>
      {editing !== null && (
        <EditRule of={editing} title={WORDS[editing.rule](editing)} onClose={() => setEditing(null)} />
      )}
    </Panel>
  )
}
