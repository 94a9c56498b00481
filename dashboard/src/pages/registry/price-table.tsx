import { Price } from '../../components/price.tsx'
import { tokens } from '../../format/number.ts'
import { listedClasses } from '../../format/token-classes.ts'
import { unitName } from '../../format/units.ts'
import type { PriceList } from './price-change.ts'
import classes from './registry.module.css'

const seconds = (milliseconds: number) => `${milliseconds / 1_000} s`

/** Prices by class, and beside them those of longer prompts. Classes that nothing is known of are left out. */
export function PriceTable({ prices }: { prices: PriceList }) {
  const columns = [{ title: prices.tiers.length === 0 ? 'USD per million' : 'Any prompt', list: prices }].concat(
    prices.tiers.map((tier) => ({ title: `Above ${tokens(tier.prompt_tokens_above)}`, list: { ...prices, ...tier } })),
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
        {listedClasses(columns.map(({ list }) => list)).map(({ field, name, fallback }) => (
          <tr key={field}>
            <th scope="row">{name}</th>
            {columns.map(({ title, list }) => (
              <td key={title}>
                <Price usd={list[field]} input={fallback === 'input' ? list.input_per_mtok : null} aligned />
              </td>
            ))}
          </tr>
        ))}
        {prices.unit_prices.map(({ name, unit, usd_per_1000, minimum_ms, step_ms }) => (
          <tr key={name}>
            <th scope="row">
              {name}, 1,000 × {unitName(unit)}
              {minimum_ms !== undefined && `, at least ${seconds(minimum_ms)}`}
              {step_ms !== undefined && `, in steps of ${seconds(step_ms)}`}
            </th>
            <td colSpan={columns.length}>
              <Price usd={usd_per_1000} input={null} aligned />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
