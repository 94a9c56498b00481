import { Alert, Button, Stack, Text } from '@mantine/core'
import { CircleCheck, ScanSearch, TriangleAlert } from 'lucide-react'
import type { Reply } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { useVerification, type Verification } from '../../api/use-verification.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/panel.tsx'
import { count } from '../../format/number.ts'

type Difference = Verification['differences'][number]
type LogDifference = Verification['rows']['differences'][number]

const COLUMNS: Column<Difference>[] = [
  { name: 'scope', title: 'Of', cell: ({ scope, name, id }) => `${scope} ${name ?? id}` },
  { name: 'workspace', title: 'Workspace', cell: ({ workspace }) => workspace ?? '–' },
  { name: 'counter', title: 'Counter', cell: ({ counter }) => <span className="mono">{counter}</span> },
  { name: 'ledger', title: 'The gateway counts', figures: true, cell: ({ ledger }) => ledger },
  { name: 'log', title: 'The log adds up to', figures: true, cell: ({ log }) => log },
]

const LOG_COLUMNS: Column<LogDifference>[] = [
  {
    name: 'of',
    title: 'Of',
    cell: ({ id, at }) => (id === null ? `sum of ${at}` : <span className="mono">{id}</span>),
  },
  { name: 'workspace', title: 'Workspace', cell: ({ workspace }) => workspace },
  { name: 'figure', title: 'Figure', cell: ({ figure }) => <span className="mono">{figure}</span> },
  { name: 'stored', title: 'Stored', figures: true, cell: ({ stored }) => stored ?? 'unknown' },
  { name: 'computed', title: 'Worked out again', figures: true, cell: ({ computed }) => computed ?? 'unknown' },
]

export function LedgerTab() {
  return (
    <Stack gap="lg">
      <LedgerPanel />
      <SecretsPanel />
    </Stack>
  )
}

function LedgerPanel() {
  const verify = useVerification()
  return (
    <Panel
      title="Ledger"
      description="Spending of keys and workspaces is counted as calls end. Every counter can be recomputed from the request log, and every cost from its tokens and the prices of that time."
      actions={
        <Button
          variant="default"
          leftSection={<ScanSearch size={16} aria-hidden />}
          loading={verify.isPending}
          onClick={() => verify.mutate()}
        >
          Verify now
        </Button>
      }
    >
      {verify.error !== null ? (
        <Text size="sm" c="var(--bad)" role="alert">
          {verify.error.message}
        </Text>
      ) : verify.data === undefined ? (
        <Text size="sm" c="dimmed">
          {verify.isPending && verify.checked > 0
            ? `${count(verify.checked)} rows checked`
            : 'Recomputes every counter and cost from the log and compares them. Nothing is changed, and calls continue.'}
        </Text>
      ) : (
        <Outcome of={verify.data} />
      )}
    </Panel>
  )
}

function Outcome({ of: { checked, busy, differences, rows } }: { of: Verification }) {
  const busyWords =
    busy === 0
      ? ''
      : ` ${count(busy)} of them were in use throughout: their spending lies between two readings of the log.`
  const unpricedWords =
    rows.unpriced === 0 ? '' : ` ${count(rows.unpriced)} rows refer to a price version that no longer exists.`
  const differ = differences.length + rows.differences.length
  if (differ === 0) {
    return (
      <Alert
        color="teal"
        variant="light"
        icon={<CircleCheck aria-hidden />}
        title="The ledger agrees with the log"
        role="status"
      >
        The counters of {count(checked)} keys and workspaces were worked out again, to the last digit, and so were the
        costs of {count(rows.checked)} rows and the sums of {count(rows.hours)} hours.{busyWords}
        {unpricedWords}
      </Alert>
    )
  }
  return (
    <Stack>
      <Alert
        color="red"
        variant="light"
        icon={<TriangleAlert aria-hidden />}
        title={`${count(differ)} figures differ`}
        role="alert"
      >
        Of {count(checked)} keys and workspaces and {count(rows.checked)} rows.{busyWords}
        {unpricedWords} Counters are recomputed from the log at a restart; rows and sums were changed in the database.
      </Alert>
      {differences.length > 0 && (
        <DataTable
          label="Counters that differ"
          columns={COLUMNS}
          rows={differences}
          rowKey={({ scope, id, counter }) => `${scope} ${id} ${counter}`}
        />
      )}
      {rows.differences.length > 0 && (
        <DataTable
          label="Rows and sums that differ"
          columns={LOG_COLUMNS}
          rows={rows.differences}
          rowKey={({ id, key_id, at, figure }) => `${id} ${key_id} ${at} ${figure}`}
        />
      )}
    </Stack>
  )
}

function SecretsPanel() {
  const rotate = useChange('secrets.rotate')
  return (
    <Panel
      title="Secrets"
      description="Provider keys are stored encrypted. After you put a new key first in SECRETS_KEY, this re-encrypts them with it."
      actions={
        <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate({})}>
          Re-encrypt
        </Button>
      }
    >
      {rotate.error !== null ? (
        <Text size="sm" c="var(--bad)" role="alert">
          {rotate.error.message}
        </Text>
      ) : rotate.data === undefined ? (
        <Text size="sm" c="dimmed">
          Secrets already encrypted with the first key stay as they are. Then you can remove the older keys from
          SECRETS_KEY.
        </Text>
      ) : (
        <Alert color="teal" variant="light" icon={<CircleCheck aria-hidden />} role="status">
          {secretsWords(rotate.data)}
        </Alert>
      )}
    </Panel>
  )
}

function secretsWords({ re_encrypted: renewed, already_current: current }: Reply<'secrets.rotate'>): string {
  if (renewed + current === 0) return 'No secrets are stored.'
  if (renewed === 0) return `All ${count(current)} stored secrets already use the first key.`
  return `${count(renewed)} stored secrets were re-encrypted; ${count(current)} already used the current key.`
}
