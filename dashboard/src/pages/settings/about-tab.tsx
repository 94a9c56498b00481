import { Anchor, Badge, DataList, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Reply } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import { CopyText } from '../../components/copy.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/panel.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { count } from '../../format/number.ts'
import { uptime } from './uptime.ts'

type Status = Reply<'status.get'>
type CatalogList = Status['catalog'][number]

const CATALOG_COLUMNS: Column<CatalogList>[] = [
  { name: 'provider', title: 'Provider', cell: ({ provider }) => provider },
  { name: 'models', title: 'Models', figures: true, cell: ({ models }) => count(models) },
  {
    name: 'read',
    title: 'Read',
    cell: ({ read_at: at, problem }) =>
      at === null ? (
        <Text span size="sm" c="var(--bad)">
          not yet{problem === null ? '' : `: ${problem}`}
        </Text>
      ) : (
        <Time at={at} relative />
      ),
  },
]

export function AboutTab() {
  const status = useOperation('status.get', {}, { refetchEvery: 5_000 })
  return (
    <Loaded query={status}>
      {(value) => (
        <Stack gap="lg">
          <Panel title="This gateway" description="The process that serves this page. Figures reset on restart.">
            <Facts of={value} />
          </Panel>
          <Panel
            title="Lists of models"
            description="Read from the providers at startup. Newer models work, too."
            flush
          >
            {value.catalog.length === 0 ? (
              <EmptyState title="No provider with a list of models is configured" />
            ) : (
              <DataTable
                label="Lists of models"
                columns={CATALOG_COLUMNS}
                rows={value.catalog}
                rowKey={({ provider }) => provider}
              />
            )}
          </Panel>
        </Stack>
      )}
    </Loaded>
  )
}

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

function Facts({ of: status }: { of: Status }) {
  const { lag_rows: lag, last_error: error } = status.log
  return (
    <DataList size="sm" gap={8} labelWidth="9rem">
      <Fact label="Version">
        <span className="mono">{status.version}</span>
      </Fact>
      <Fact label="State">
        <Badge color={status.phase === 'ready' ? 'teal' : 'yellow'}>{status.phase}</Badge>
      </Fact>
      <Fact label="Running for">
        {uptime(status.uptime_seconds)}{' '}
        <Text span c="dimmed" inherit>
          · since <Time at={status.started_at} />
        </Text>
      </Fact>
      <Fact label="Calls running now">{count(status.in_flight)}</Fact>
      <Fact label="Database">{ENGINES[status.engine]}</Fact>
      <Fact label="Request log">
        {lag === 0 ? 'complete in the database' : `${count(lag)} durable rows are not in the database yet`}
        {error === null ? '' : `: ${error}`}
      </Fact>
      <Fact label="Node">
        <CopyText value={status.node} />
      </Fact>
      <Fact label="More">
        <Group gap="md">
          <Anchor href="/docs" size="sm">
            Management API
          </Anchor>
          <Anchor href="/openapi.json" size="sm">
            OpenAPI
          </Anchor>
          <Anchor href="/metrics" size="sm">
            Metrics
          </Anchor>
        </Group>
      </Fact>
    </DataList>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{label}</DataList.ItemLabel>
      <DataList.ItemValue>{children}</DataList.ItemValue>
    </DataList.Item>
  )
}
