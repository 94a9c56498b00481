import { asPicodollars, exactUsd } from '../../domain/pricing/price.ts'

const FLOAT = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i
const PLACES = 12

/** A float as PostgreSQL prints it, in whole picodollars, rounded half to even; null for what is no number. */
export function picodollarsOfFloat(text: string): bigint | null {
  const match = FLOAT.exec(text)
  if (match === null) return null
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const shift = Number(exponent) - fraction.length + PLACES
  const digits = BigInt(whole + fraction)
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : roundedDown(digits, 10n ** BigInt(-shift))
  return sign === '-' ? -amount : amount
}

function roundedDown(digits: bigint, divisor: bigint): bigint {
  const [quotient, rest] = [digits / divisor, digits % divisor]
  const isUp = rest * 2n > divisor || (rest * 2n === divisor && quotient % 2n === 1n)
  return isUp ? quotient + 1n : quotient
}

export function usdText(picodollars: bigint): string {
  return exactUsd(asPicodollars(picodollars))
}

/** Larger budgets than ours can be: no limit in practice. */
export const NO_BUDGET_FROM = 10n ** 9n * 10n ** BigInt(PLACES)
