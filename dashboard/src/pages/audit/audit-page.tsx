import { Button, Center, Stack, Text } from '@mantine/core'
import { History } from 'lucide-react'
import { Link, useLocation, useSearch } from 'wouter'
import { usePages } from '../../api/hooks.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { usePath, usePlaceParts, useUrlState } from '../../shell/place.ts'
import { columnsOf } from './audit-columns.tsx'
import { AuditDrawer } from './audit-drawer.tsx'
import { AuditFilters } from './audit-filters.tsx'

/** Who changed what, and when. */
export function AuditPage() {
  const [{ resource, actor, workspace }] = useUrlState()
  const pages = usePages('audit.list', { query: { limit: 50, resource, actor, workspace } })
  const [openId] = usePlaceParts()
  const path = usePath()
  const search = useSearch()
  const [, navigate] = useLocation()
  const suffix = search === '' ? '' : `?${search}`
  return (
    <Page
      title="Audit"
      description="Every change to keys, routes, providers, prices and workspaces, and every read of stored content or a guardrail’s secret. Secrets are never recorded, and entries never expire."
    >
      <Stack gap="sm">
        <AuditFilters />
        <Panel flush>
          <Loaded query={{ data: pages.rows, error: pages.error, refetch: pages.refetch as never }}>
            {(rows) =>
              rows.length === 0 ? (
                <NothingFound isFiltered={[resource, actor, workspace].some((filter) => filter !== undefined)} />
              ) : (
                <DataTable
                  label="Changes"
                  columns={columnsOf((id) => path('audit', id) + suffix)}
                  rows={rows}
                  rowKey={({ id }) => id}
                  isCurrent={({ id }) => id === openId}
                />
              )
            }
          </Loaded>
          {pages.hasNextPage && (
            <Center p="sm">
              <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
                Load older changes
              </Button>
            </Center>
          )}
        </Panel>
      </Stack>
      <AuditDrawer id={openId} onClose={() => navigate(path('audit') + suffix)} known={pages.rows} />
    </Page>
  )
}

function NothingFound({ isFiltered }: { isFiltered: boolean }) {
  const path = usePath()
  if (!isFiltered) {
    return (
      <EmptyState title="No changes yet" icon={History}>
        Changes to keys, routes and prices appear here.
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No matching changes" icon={History}>
      <Text size="sm">Enter the whole resource: its kind, a slash and its name or id.</Text>
      <Button component={Link} href={path('audit')} variant="default" size="xs" mt="sm">
        Show every change
      </Button>
    </EmptyState>
  )
}
