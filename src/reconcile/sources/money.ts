import { quoted, ReportProblem } from '../line.ts'
import { type Decimal, plainDecimal, product, scaled, USD_POWER } from '../read/decimal.ts'
import type { ReadOptions } from './source.ts'

/** The amount in picodollars; another currency needs a rate for the file. */
export function inUsd(
  value: Decimal,
  currency: string | null,
  { rates }: ReadOptions,
  place: string,
  power = USD_POWER,
): bigint {
  const code = (currency ?? '').toUpperCase()
  if (code === 'USD') return scaled(value, power)
  if (!/^[A-Z]{3}$/.test(code)) throw new ReportProblem(place, `${quoted(code)} is not a currency code`)
  const rate = rates[code]
  if (rate === undefined) {
    throw new ReportProblem(place, `the amount is in ${code}; give the rate in USD, for example ${code}=1.08`)
  }
  return scaled(product(value, plainDecimal(rate, `rate of ${code}`)), power)
}
