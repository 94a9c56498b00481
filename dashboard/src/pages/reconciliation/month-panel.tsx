import { Alert, Badge, Button, Group, Menu, Stack, Text } from '@mantine/core'
import { Download, Lock } from 'lucide-react'
import { useState } from 'react'
import { addressOf, type Reply } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import { CopyIcon } from '../../components/copy.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { FactList } from '../../components/fact-list.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Money } from '../../components/money.tsx'
import { Panel } from '../../components/panel.tsx'
import { Loaded } from '../../components/states.tsx'
import { isZero } from '../../format/exact.ts'
import { count } from '../../format/number.ts'
import { CloseMonth } from './close-month.tsx'

type Books = Reply<'months.get'>

/** The books of the month: what a close would freeze, or what it has frozen. */
export function MonthPanel({ month }: { month: string }) {
  const books = useOperation('months.get', { params: { month } })
  const [isClosing, setClosing] = useState(false)
  const isOpen = books.data?.state === 'open'
  return (
    <Panel
      title={`Books of ${month}`}
      description={
        isOpen ? 'what closing the month would freeze' : 'frozen; what comes later belongs to the next month'
      }
      actions={
        books.data === undefined ? null : isOpen ? (
          <MayButton
            to="months.close"
            size="xs"
            leftSection={<Lock size={14} aria-hidden />}
            disabled={books.data.blockers.some((each) => !each.can_override)}
            title={books.data.blockers[0]?.sentence}
            onClick={() => setClosing(true)}
          >
            Close month
          </MayButton>
        ) : (
          <ExportMonth month={month} />
        )
      }
    >
      <Loaded query={books}>{(data: Books) => <BooksView books={data} />}</Loaded>
      <CloseMonth
        month={month}
        total={books.data?.total_usd}
        blockers={books.data?.blockers ?? []}
        isOpen={isClosing}
        onClose={() => setClosing(false)}
      />
    </Panel>
  )
}

const FORMATS = [
  ['csv', 'CSV, for spreadsheets', '.csv'],
  ['focus', 'FOCUS 1.2', '-focus.csv'],
  ['text', 'The text that was hashed', '.ndjson'],
] as const

function ExportMonth({ month }: { month: string }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<Download size={14} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(([format, label, ending]) => (
          <Menu.Item
            key={format}
            component="a"
            href={addressOf('months.export', { params: { month }, query: { format } })}
            download={`${month}${ending}`}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function BooksView({ books }: { books: Books }) {
  return (
    <Stack gap="md">
      {books.blockers.length > 0 && (
        <Alert color="yellow" title="Can’t be closed yet">
          {books.blockers.map(({ sentence }) => (
            <Text key={sentence} size="sm">
              {sentence}
            </Text>
          ))}
        </Alert>
      )}
      {books.overrides.length > 0 && (
        <Alert color="yellow" title="Closed although not whole">
          {books.overrides.map(({ sentence, reason, by }) => (
            <Text key={sentence} size="sm">
              {sentence} {by}: {reason}
            </Text>
          ))}
        </Alert>
      )}
      {books.verified === false && (
        <Alert color="red" title="These books were changed after they were closed">
          Their text no longer has the hash below. Compare them with a backup.
        </Alert>
      )}
      <MonthFacts books={books} />
      <DataTable
        label="Workspaces"
        columns={WORKSPACES}
        rows={books.workspaces}
        rowKey={({ workspace }) => workspace}
      />
      <DataTable label="Keys" columns={KEYS} rows={books.keys} rowKey={(row) => `${row.workspace} ${row.key_id}`} />
      <DataTable label="Providers" columns={PROVIDERS} rows={books.providers} rowKey={({ provider }) => provider} />
    </Stack>
  )
}

function MonthFacts({ books }: { books: Books }) {
  return (
    <FactList>
      <dt>State</dt>
      <dd>
        <Badge color={books.state === 'closed' ? 'teal' : 'gray'} tt="none">
          {books.state}
        </Badge>
      </dd>
      <dt>Total</dt>
      <dd className="figures">{books.total_usd} USD</dd>
      {!isZero(books.late_usd) && (
        <>
          <dt>of it late calls of closed months</dt>
          <dd className="figures">{books.late_usd} USD</dd>
        </>
      )}
      {books.corrections.length > 0 && (
        <>
          <dt>of it corrections</dt>
          <dd className="figures">{books.corrections_usd} USD</dd>
        </>
      )}
      {!isZero(books.unconfirmed_most_usd) && (
        <>
          <dt>Unconfirmed, beside the total</dt>
          <dd className="figures">
            about {books.unconfirmed_estimate_usd}, at most {books.unconfirmed_most_usd} USD
          </dd>
        </>
      )}
      {books.closed_at !== null && (
        <>
          <dt>Closed</dt>
          <dd>
            {books.closed_at.slice(0, 16).replace('T', ' ')}Z by {books.closed_by}
          </dd>
        </>
      )}
      {books.comment !== null && (
        <>
          <dt>Comment</dt>
          <dd>{books.comment}</dd>
        </>
      )}
      {books.sha256 !== null && (
        <>
          <dt>SHA-256</dt>
          <dd>
            <Group gap={4} wrap="nowrap">
              <span className="mono" style={{ overflowWrap: 'anywhere' }}>
                {books.sha256}
              </span>
              <CopyIcon value={books.sha256} label="Copy the hash" />
            </Group>
          </dd>
        </>
      )}
      {books.rows_deleted_before !== null && (
        <>
          <dt>Deleted requests</dt>
          <dd>before {books.rows_deleted_before.slice(0, 10)}: exports have only their sums</dd>
        </>
      )}
    </FactList>
  )
}

type Sums = { requests: number; cost_usd: string }
const figures = <Row extends Sums>(): Column<Row>[] => [
  { name: 'requests', title: 'Requests', figures: true, cell: ({ requests }) => count(requests) },
  { name: 'cost', title: 'Cost', figures: true, cell: ({ cost_usd: cost }) => <Money usd={cost} column /> },
]

const WORKSPACES: Column<Books['workspaces'][number]>[] = [
  { name: 'workspace', title: 'Workspace', cell: ({ workspace }) => workspace },
  ...figures<Books['workspaces'][number]>(),
]
const KEYS: Column<Books['keys'][number]>[] = [
  { name: 'key', title: 'Key', cell: (row) => `${row.workspace} / ${row.key_name ?? row.key_id}` },
  ...figures<Books['keys'][number]>(),
]
const PROVIDERS: Column<Books['providers'][number]>[] = [
  { name: 'provider', title: 'Provider', cell: ({ provider }) => (provider === '' ? 'none (refused)' : provider) },
  ...figures<Books['providers'][number]>(),
]
