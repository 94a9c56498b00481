import { Switch } from '@mantine/core'
import type { Reply } from '../../api/client.ts'
import { useChange, useOperation } from '../../api/hooks.ts'
import { useRefusal } from '../../api/session.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/panel.tsx'
import { Loaded } from '../../components/states.tsx'

type Rule = Reply<'alert-rules.list'>['data'][number]

const WORDS: Readonly<Record<Rule['rule'], (rule: Rule) => string>> = {
  budget: ({ thresholds }) => `A key or workspace has spent ${listed(thresholds ?? [])} % of its budget`,
  circuit_open: ({ seconds }) => `A provider's model keeps failing and is skipped for ${seconds} s`,
  provider_account: () => 'A provider rejects its key, or the account has no credit',
  error_rate: ({ percent, factor, calls }) =>
    `${percent} % of at least ${calls} calls of a route fail, and ${factor} times as many as usual`,
  latency: ({ factor, calls }) => `At least ${calls} answers of a model take ${factor} times as long as usual`,
  log_backlog: ({ seconds }) => `The request log is ${seconds} s behind`,
  unpriced: () => 'Calls are served by a model without a price',
}

function listed(thresholds: readonly number[]): string {
  return [thresholds.slice(0, -1).join(', '), ...thresholds.slice(-1)].filter(Boolean).join(' or ')
}

const COLUMNS: Column<Rule>[] = [
  { name: 'what', title: 'An alert is raised when', cell: (rule) => WORDS[rule.rule](rule) },
  { name: 'enabled', title: 'On', figures: true, cell: (rule) => <RuleSwitch of={rule} /> },
]

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
  return (
    <Panel
      title="Rules"
      description={
        <>
          Figures are changed with <span className="mono">switchyard alert-rules update</span>.
        </>
      }
      flush
    >
      <Loaded query={rules}>
        {({ data }) => <DataTable label="Rules" columns={COLUMNS} rows={data} rowKey={({ rule }) => rule} />}
      </Loaded>
    </Panel>
  )
}
