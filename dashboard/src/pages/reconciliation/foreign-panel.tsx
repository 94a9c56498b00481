import { Menu } from '@mantine/core'
import { useChange, useOperation } from '../../api/hooks.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Panel } from '../../components/panel.tsx'
import { tell, tellError } from '../../components/tell.ts'
import { count } from '../../format/number.ts'
import { Billed } from './amount.tsx'
import type { Reconciliation } from './reconciliation-rows.ts'

type Foreign = Reconciliation['foreign_accounts'][number]

/** What reports bill for keys that are not the gateway's: shown here, and part of no other figure of the page. */
export function ForeignPanel({ rows }: { rows: readonly Foreign[] }) {
  if (rows.length === 0) return null
  return (
    <Panel
      title="Keys that are not this gateway’s"
      description="billed by the same vendors; in none of the figures above"
      flush
    >
      <DataTable
        label="Keys that are not this gateway’s"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ provider, account }) => `${provider} ${account}`}
      />
    </Panel>
  )
}

const COLUMNS: Column<Foreign>[] = [
  { name: 'account', title: 'Key or project', cell: ({ account }) => <span className="mono">{account}</span> },
  { name: 'provider', title: 'Report of', cell: ({ provider }) => provider, leftOut: 'first' },
  {
    ...{ name: 'models', title: 'Models', wideOnly: true },
    cell: ({ models }) => <span style={{ overflowWrap: 'anywhere' }}>{models.join(', ')}</span>,
  },
  { name: 'requests', title: 'Requests', figures: true, cell: ({ requests }) => count(requests), wideOnly: true },
  {
    ...{ name: 'amount', title: 'Billed', figures: true },
    cell: ({ amount_usd: amount }) => (amount === null ? 'no money reported' : <Billed usd={amount} />),
  },
  { name: 'owner', title: 'Actions', cell: (row) => <GiveTo row={row} /> },
]

function GiveTo({ row: { provider, account } }: { row: Foreign }) {
  const providers = useOperation('providers.list', {})
  const change = useChange('report-accounts.put')
  const give = (owner: string) =>
    change.mutate(
      { body: { provider, account, owner } },
      {
        onSuccess: () => tell(`${account} is compared as the key of ${owner}.`),
        onError: (error) => tellError(error.message),
      },
    )
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <MayButton
          to="report-accounts.put"
          size="compact-xs"
          variant="subtle"
          color="gray"
          loading={change.isPending}
          aria-label={`It’s ours: ${account}`}
        >
          It’s ours
        </MayButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>It’s the key of</Menu.Label>
        {(providers.data?.data ?? []).map(({ name }) => (
          <Menu.Item key={name} onClick={() => give(name)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
