import { alignedUsd, exactUsd, shortUsd } from '../format/money.ts'
import { milliseconds, shortCount } from '../format/number.ts'

/** What a chart measures, and how its figures are written. */
export type Unit = 'requests' | 'tokens' | 'usd' | 'ms'

const scale = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 })

/** Every digit: for tooltips and tables. */
export function exactText(value: string, unit: Unit): string {
  if (unit === 'ms') return value === '' ? '–' : milliseconds(Number(value))
  return unit === 'usd' ? exactUsd(value) : BigInt(value).toLocaleString('en-US')
}

/** The same for a column of figures, aligned at the decimal point. */
export function alignedTexts(values: readonly string[], unit: Unit): string[] {
  return unit === 'usd' ? alignedUsd(values) : values.map((value) => exactText(value, unit))
}

/** For legends. */
export function shortText(value: string, unit: Unit): string {
  if (unit === 'usd') return shortUsd(value)
  return unit === 'tokens' ? shortCount(Number(value)) : exactText(value, unit)
}

/** For the marks of an axis, which measure and are no amounts. */
export function axisText(value: number, unit: Unit): string {
  if (unit === 'ms') return value === 0 ? '0' : value < 1_000 ? `${value} ms` : `${scale.format(value / 1_000)} s`
  return `${unit === 'usd' ? '$' : ''}${scale.format(value)}`
}
