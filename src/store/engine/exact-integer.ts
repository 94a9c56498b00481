/**
 * How both engines hand over a 64-bit integer: a number where that is exact, else a bigint. So times and counts are
 * plain numbers everywhere, and money never loses a digit.
 */
export type ExactInteger = number | bigint

export function exactInteger(value: bigint): ExactInteger {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
}
