import { Price } from '../../components/price.tsx'
import { tokens } from '../../format/number.ts'
import { PRICE_CLASSES, type PriceList } from './price-change.ts'
import classes from './registry.module.css'

/** Prices by class, and beside them those of longer prompts. Classes that nothing is known of are left out. */
export function PriceTable({ prices }: { prices: PriceList }) {
  const columns = [{ title: prices.tiers.length === 0 ? 'USD per million' : 'Any prompt', list: prices }].concat(
    prices.tiers.map((tier) => ({ title: `Above ${tokens(tier.prompt_tokens_above)}`, list: { ...tier, tiers: [] } })),
  )
  const rows = PRICE_CLASSES.filter(
    ([field]) => !field.startsWith('cache_write') || columns.some(({ list }) => list[field] !== null),
  )
  return (
    <table className={classes['prices']}>
      <thead>
        <tr>
          <th scope="col">Tokens</th>
          {columns.map(({ title }) => (
            <th scope="col" key={title}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([field, name]) => (
          <tr key={field}>
            <th scope="row">{name}</th>
            {columns.map(({ title, list }) => (
              <td key={title}>
                <Price usd={list[field]} input={field === 'output_per_mtok' ? null : list.input_per_mtok} aligned />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
