import { Tooltip } from '@mantine/core'
import { Route } from 'lucide-react'
import { memo, useMemo } from 'react'
import { Link } from 'wouter'
import { CapabilityTags } from '../../components/capability-tags.tsx'
import { ChainLine, placesOf } from '../../components/chain-line.tsx'
import { CopyIcon } from '../../components/copy.tsx'
import { type Column, DataTable, type Sort } from '../../components/data-table.tsx'
import { Price } from '../../components/price.tsx'
import { tokens } from '../../format/number.ts'
import classes from './catalog.module.css'
import { type CatalogItem, capabilitiesOf, deprecatedEntry } from './catalog-list.ts'
import { Shutdown } from './shutdown.tsx'

export interface CatalogTableProps {
  rows: readonly CatalogItem[]
  sort: Sort | undefined
  onSort: (sort: Sort) => void
  /** Capabilities in the filter: highlighted. */
  wanted: readonly string[]
  current: string | undefined
  linkTo: (id: string) => string
}

/** Drawn again only when the rows change: with hundreds of them, typing in the search stays light. */
export const CatalogTable = memo(function CatalogTable(props: CatalogTableProps) {
  const { rows, sort, onSort, wanted, current, linkTo } = props
  const columns = useMemo(() => columnsOf(new Set(wanted), linkTo), [wanted, linkTo])
  return (
    <DataTable
      label="Catalog"
      columns={columns}
      rows={rows}
      rowKey={({ kind, owned_by, id }) => `${kind} ${owned_by} ${id}`}
      sort={sort}
      onSort={onSort}
      isCurrent={({ id }) => id === current}
      dense
    />
  )
})

function columnsOf(wanted: ReadonlySet<string>, linkTo: (id: string) => string): Column<CatalogItem>[] {
  return [
    { name: 'id', title: 'Model', sortable: true, cell: (item) => <Identity item={item} href={linkTo(item.id)} /> },
    {
      name: 'provider',
      title: 'Provider',
      sortable: true,
      cell: ({ chain }) => <Providers chain={chain} />,
    },
    ...priceColumns(),
    {
      name: 'window',
      title: 'Context',
      sortable: true,
      figures: true,
      cell: ({ chain }) => tokens(chain[0]?.context_window ?? null),
    },
    {
      name: 'longest',
      title: 'Max output',
      sortable: true,
      figures: true,
      cell: ({ chain }) => tokens(chain[0]?.max_output_tokens ?? null),
    },
    {
      name: 'capabilities',
      title: 'Capabilities',
      sortable: true,
      cell: (item) => <CapabilityTags capabilities={capabilitiesOf(item)} wanted={wanted} limit={4} />,
    },
    {
      name: 'shutdown',
      title: 'Shutdown',
      sortable: true,
      cell: (item) => <Shutdown entry={deprecatedEntry(item)} />,
    },
  ]
}

function priceColumns(): Column<CatalogItem>[] {
  const figures = { sortable: true, figures: true }
  return [
    {
      name: 'input',
      title: 'Input',
      ...figures,
      cell: ({ chain }) => <Price usd={chain[0]?.input_per_mtok ?? null} aligned />,
    },
    {
      name: 'cached',
      title: 'Cached',
      ...figures,
      cell: ({ chain }) => (
        <Price usd={chain[0]?.cached_input_per_mtok ?? null} input={chain[0]?.input_per_mtok ?? null} aligned />
      ),
    },
    {
      name: 'output',
      title: 'Output',
      ...figures,
      cell: ({ chain }) => <Price usd={chain[0]?.output_per_mtok ?? null} aligned />,
    },
  ]
}

function Providers({ chain }: Pick<CatalogItem, 'chain'>) {
  const [first, ...others] = new Set(chain.map(({ provider }) => provider))
  if (others.length === 0) return first
  return (
    <span title={[first, ...others].join(', ')}>
      {first} <span className={classes['dim']}>+{others.length}</span>
    </span>
  )
}

function Identity({ item, href }: { item: CatalogItem; href: string }) {
  return (
    <span className={classes['identity']}>
      <span className={classes['name']}>
        {item.kind === 'alias' && (
          <Tooltip label="A route. Prices and context windows are those of its first entry.">
            <span className={classes['kind']} role="img" aria-label="alias">
              <Route size={14} aria-hidden />
            </span>
          </Tooltip>
        )}
        <Link href={href} className="row-link mono">
          {item.id}
        </Link>
        <CopyIcon value={item.id} label={`Copy ${item.id}`} />
      </span>
      {item.kind === 'alias' && (
        <span className={classes['chain']}>
          <ChainLine places={placesOf(item.chain)} />
        </span>
      )}
    </span>
  )
}
