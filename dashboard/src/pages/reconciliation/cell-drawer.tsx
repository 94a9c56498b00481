import { Stack, Text } from '@mantine/core'
import { DetailDrawer, DrawerSection } from '../../components/detail-drawer.tsx'
import { FactList } from '../../components/fact-list.tsx'
import { PanelLink } from '../../components/panel-link.tsx'
import { usePath, useUrlState } from '../../shell/place.ts'
import { Difference } from './amount.tsx'
import { CausesList, ExampleRequests } from './causes-list.tsx'
import { CorrectCell } from './correct-cell.tsx'
import type { CellRow } from './reconciliation-rows.ts'

/** One difference: what it is made of, and the calls that it is about. */
export function CellDrawer({ cell }: { cell: CellRow | undefined }) {
  const [, change] = useUrlState()
  return (
    <DetailDrawer
      isOpen={cell !== undefined}
      onClose={() => change({ cell: null })}
      title={cell === undefined ? '' : `${cell.model ?? 'Not about a model'}, ${cell.period}`}
    >
      {cell !== undefined && <CellFacts cell={cell} />}
    </DetailDrawer>
  )
}

function CellFacts({ cell }: { cell: CellRow }) {
  const path = usePath()
  const { provider, model, from, to } = cell
  const search = new URLSearchParams({ provider, ...(model === null ? {} : { model }), from, to })
  return (
    <Stack gap="lg">
      <FactList>
        <dt>Provider</dt>
        <dd>{provider}</dd>
        {cell.accounts.length > 0 && (
          <>
            <dt>Key at the provider</dt>
            <dd style={{ overflowWrap: 'anywhere' }}>{cell.accounts.join(', ')}</dd>
          </>
        )}
        <dt>Booked here</dt>
        <dd className="figures">{cell.ours_usd} USD</dd>
        <dt>Billed</dt>
        <dd className="figures">{cell.theirs_usd} USD</dd>
        <dt>Difference</dt>
        <dd>
          <Difference usd={cell.difference_usd} />
        </dd>
        <dt>of it quantity</dt>
        <dd>
          <Difference usd={cell.quantity_usd} />
        </dd>
        <dt>of it price</dt>
        <dd>
          <Difference usd={cell.price_usd} />
        </dd>
      </FactList>
      <DrawerSection title="Why">
        <CausesList causes={cell.causes} unexplained={cell.unexplained_usd} />
      </DrawerSection>
      {cell.unconfirmed !== null && model !== null && (
        <DrawerSection title="Calls without an answer">
          <CorrectCell
            key={cell.id}
            place={{ provider, model, period: cell.period }}
            unconfirmed={cell.unconfirmed}
            isSettled={new Date(cell.settles_at) <= new Date()}
          />
        </DrawerSection>
      )}
      <DrawerSection
        title="Requests"
        actions={<PanelLink href={`${path('requests')}?${search}`}>Requests of this day in this workspace</PanelLink>}
      >
        <ExampleRequests causes={cell.causes} />
        <Text size="xs" c="dimmed">
          The report is expected not to change from {cell.settles_at.slice(0, 16).replace('T', ' ')}Z on.
        </Text>
      </DrawerSection>
    </Stack>
  )
}
