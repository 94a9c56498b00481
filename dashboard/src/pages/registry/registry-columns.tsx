import { Link } from 'wouter'
import { CapabilityTags } from '../../components/capability-tags.tsx'
import type { Column } from '../../components/data-table.tsx'
import { Price } from '../../components/price.tsx'
import { count, tokens } from '../../format/number.ts'
import { localDay, utcTime } from '../../format/time.ts'
import classes from './registry.module.css'
import { cacheWriteOf, isUnpriced, type RegistryModel, sourceText } from './registry-list.ts'

type Address = (model: RegistryModel) => string

export function columnsOf(address: Address): Column<RegistryModel>[] {
  return [modelColumn(address), ...PRICES, ...LENGTHS, ...REST]
}

function modelColumn(address: Address): Column<RegistryModel> {
  return {
    name: 'model',
    title: 'Model',
    sortable: true,
    cell: (row) => (
      <span className={classes['model']}>
        <Link className="row-link" href={address(row)}>
          {row.model}
        </Link>
        <span className={classes['under']}>
          {row.provider}
          {row.deprecated && <span className={classes['warn']}> · {shutdownText(row.shutdown_date)}</span>}
          {isUnpriced(row) && (
            <span className={classes['warn']} title="Calls are logged without a cost">
              {' '}
              · no price
            </span>
          )}
        </span>
      </span>
    ),
  }
}

export function shutdownText(date: string | null): string {
  return date === null ? 'deprecated' : `shuts down ${date}`
}

const PRICES: Column<RegistryModel>[] = [
  {
    name: 'input',
    title: 'Input',
    figures: true,
    sortable: true,
    cell: ({ input_per_mtok, tiers }) => (
      <>
        {tiers.length > 0 && <Tiered lengths={tiers.map((tier) => tier.prompt_tokens_above)} />}
        <Price usd={input_per_mtok} aligned />
      </>
    ),
  },
  {
    name: 'cached',
    title: 'Cached',
    figures: true,
    sortable: true,
    cell: ({ cached_input_per_mtok, input_per_mtok }) => (
      <Price usd={cached_input_per_mtok} input={input_per_mtok} aligned />
    ),
  },
  {
    name: 'write',
    title: 'Cache write',
    figures: true,
    sortable: true,
    wideOnly: true,
    cell: (row) => <Price usd={cacheWriteOf(row)} input={row.input_per_mtok} aligned />,
  },
  {
    name: 'output',
    title: 'Output',
    figures: true,
    sortable: true,
    cell: ({ output_per_mtok }) => <Price usd={output_per_mtok} aligned />,
  },
]

const LENGTHS: Column<RegistryModel>[] = [
  {
    name: 'window',
    title: 'Window',
    figures: true,
    sortable: true,
    cell: ({ context_window }) => <Length value={context_window} />,
  },
  {
    name: 'answer',
    title: 'Answer',
    figures: true,
    sortable: true,
    wideOnly: true,
    cell: ({ max_output_tokens }) => <Length value={max_output_tokens} />,
  },
]

const REST: Column<RegistryModel>[] = [
  {
    name: 'capabilities',
    title: 'Capabilities',
    wideOnly: true,
    cell: ({ capabilities }) => <CapabilityTags capabilities={capabilities.map((name) => ({ name }))} limit={2} />,
  },
  {
    name: 'priced_at',
    title: 'Price from',
    sortable: true,
    wideOnly: true,
    cell: ({ price_source, priced_at }) => (
      <span className={classes['source']} title={price_source ?? undefined}>
        {sourceText(price_source)}
        {priced_at !== null && (
          <span className={classes['under']}>
            since{' '}
            <time dateTime={priced_at} title={utcTime(priced_at)}>
              {localDay(priced_at)}
            </time>
          </span>
        )}
      </span>
    ),
  },
]

function Tiered({ lengths }: { lengths: readonly number[] }) {
  const title = `Costs more for prompts above ${lengths.map(count).join(', ')} tokens`
  return (
    <span className={classes['tiered']} title={title} role="img" aria-label={title}>
      +
    </span>
  )
}

function Length({ value }: { value: number | null }) {
  return <span title={value === null ? 'Not known' : `${count(value)} tokens`}>{tokens(value)}</span>
}
