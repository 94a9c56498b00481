import { Button, Stack, Text } from '@mantine/core'
import { Coins, FileDown, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { useAll } from '../../api/hooks.ts'
import { DataTable } from '../../components/data-table.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Permitted } from '../../components/permitted.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { count } from '../../format/number.ts'
import { usePath, usePlaceParts, useUrlState } from '../../shell/place.ts'
import { ImportDialog } from './import-dialog.tsx'
import { ModelDrawer } from './model-drawer.tsx'
import { NewModelDrawer } from './new-model-drawer.tsx'
import { columnsOf } from './registry-columns.tsx'
import { RegistryFilters } from './registry-filters.tsx'
import { shownModels, sortText, viewOf } from './registry-list.ts'

/** An imported list can have thousands: so many are drawn at first. */
const SHOWN = 200

/** What models cost and can do, and since when. */
export function RegistryPage() {
  const models = useAll('registry.list', {})
  const [search, setSearch] = useUrlState()
  const view = viewOf(search)
  const path = usePath()
  const [, navigate] = useLocation()
  const [provider, model] = usePlaceParts()
  const suffix = suffixOf(useSearch())
  const columns = useMemo(() => columnsOf((row) => path('registry', row.provider, row.model) + suffix), [path, suffix])
  const rows = useMemo(() => shownModels(models.data ?? [], viewOf(search)), [models.data, search])
  const [isWhole, setWhole] = useState(false)
  const providers = useMemo(() => [...new Set(models.data?.map((row) => row.provider))], [models.data])
  return (
    <Page
      title="Registry"
      description="Prices in USD per million tokens, context windows and capabilities. Price changes never affect past calls."
      actions={<Actions onOpen={(name) => setSearch({ [name]: '1' }, { push: true })} />}
    >
      <Stack gap="sm">
        <RegistryFilters view={view} providers={providers} onChange={setSearch} />
        <Panel flush>
          <Loaded query={models}>
            {(all) =>
              rows.length === 0 ? (
                <NothingFound isEmpty={all.length === 0} />
              ) : (
                <DataTable
                  label="Models"
                  columns={columns}
                  rows={isWhole ? rows : rows.slice(0, SHOWN)}
                  rowKey={(row) => `${row.provider}/${row.model}`}
                  sort={view.sort}
                  onSort={(sort) => setSearch({ sort: sortText(sort) })}
                  isCurrent={(row) => row.provider === provider && row.model === model}
                  dense
                />
              )
            }
          </Loaded>
        </Panel>
        {models.data !== undefined && (
          <Total rows={rows.length} all={models.data.length} isWhole={isWhole} onWhole={() => setWhole(true)} />
        )}
      </Stack>
      <ModelDrawer
        place={provider === undefined || model === undefined ? null : { provider, model }}
        onClose={() => navigate(path('registry') + suffixOf(suffix.slice(1), ['edit']))}
      />
      <Permitted to="registry.put">
        <NewModelDrawer
          isOpen={search['new'] !== undefined && provider === undefined}
          onClose={() => setSearch({ new: null })}
        />
      </Permitted>
      <Permitted to="registry.import">
        <ImportDialog isOpen={search['import'] !== undefined} onClose={() => setSearch({ import: null })} />
      </Permitted>
    </Page>
  )
}

/** The filters stay while one model is open beside the table. */
function suffixOf(search: string, without: readonly string[] = []): string {
  const values = new URLSearchParams(search)
  for (const name of without) values.delete(name)
  return values.size === 0 ? '' : `?${values}`
}

function Actions({ onOpen }: { onOpen: (dialog: 'import' | 'new') => void }) {
  return (
    <>
      <MayButton
        to="registry.import"
        variant="default"
        leftSection={<FileDown size={16} aria-hidden />}
        onClick={() => onOpen('import')}
      >
        Import prices
      </MayButton>
      <MayButton to="registry.put" leftSection={<Plus size={16} aria-hidden />} onClick={() => onOpen('new')}>
        Add a model
      </MayButton>
    </>
  )
}

interface TotalProps {
  rows: number
  all: number
  isWhole: boolean
  onWhole: () => void
}

function Total({ rows, all, isWhole, onWhole }: TotalProps) {
  const isCut = rows > SHOWN && !isWhole
  return (
    <Text size="xs" c="dimmed" component="div">
      {isCut ? `The first ${SHOWN} of ` : ''}
      {count(rows)} {rows === all ? 'models' : `of ${count(all)} models`}
      {isCut && (
        <Button variant="subtle" size="compact-xs" onClick={onWhole}>
          Show all of them
        </Button>
      )}
    </Text>
  )
}

function NothingFound({ isEmpty }: { isEmpty: boolean }) {
  const path = usePath()
  if (isEmpty) {
    return (
      <EmptyState title="The registry is empty" icon={Coins}>
        Import a price list or add a model: until then calls are logged without a cost.
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No model matches" icon={Coins}>
      <Button component={Link} href={path('registry')} variant="default" size="xs" mt="xs">
        Show every model
      </Button>
    </EmptyState>
  )
}
