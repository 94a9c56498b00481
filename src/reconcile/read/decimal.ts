import { quoted, ReportProblem } from '../line.ts'

export interface Decimal {
  digits: bigint
  /** Decimals: the value is digits ÷ 10^scale. */
  scale: number
}

const PLAIN = /^-?\d{1,18}(?:\.\d{1,12})?$/
/** Floats are printed like `7.1e-05` or with sixteen digits after the point. */
const FLOAT = /^-?\d{1,24}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,2})?$/

/** A person's or a program's decimal: a point, no separators, no exponent, at most twelve decimals. */
export function plainDecimal(text: string, place: string): Decimal {
  if (PLAIN.test(text)) return decimal(text)
  const hint = /e/i.test(text)
    ? 'without an exponent'
    : /,/.test(text)
      ? 'with a point and without separators'
      : 'with at most twelve decimals'
  throw new ReportProblem(place, `${quoted(text)} is not an amount; write a plain decimal ${hint}`)
}

/** A float as JSON and database exports print it. */
export function floatDecimal(text: string, place: string): Decimal {
  if (!FLOAT.test(text)) throw new ReportProblem(place, `${quoted(text)} is not a number`)
  return decimal(text)
}

function decimal(text: string): Decimal {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = BigInt(whole + fraction)
  const scale = fraction.length - Number(exponent)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

/** Times 10^power, rounded half away from zero. */
export function scaled({ digits, scale }: Decimal, power: number): bigint {
  const shift = power - scale
  if (shift >= 0) return digits * 10n ** BigInt(shift)
  const divisor = 10n ** BigInt(-shift)
  const size = digits < 0n ? -digits : digits
  const rounded = (size + divisor / 2n) / divisor
  return digits < 0n ? -rounded : rounded
}

export function product(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale }
}

/** The value where it is whole. */
export function whole(value: Decimal): bigint | null {
  const found = scaled(value, 0)
  return found * 10n ** BigInt(value.scale) === value.digits ? found : null
}

export const USD_POWER = 12
export const CENT_POWER = 10

/** Half of the last printed digit, at most half a cent. */
export function printedTolerance({ scale }: Decimal): bigint {
  return 10n ** BigInt(USD_POWER - Math.min(Math.max(scale, 2), USD_POWER)) / 2n
}
