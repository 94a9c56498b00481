/**
 * Sums of exact decimal strings (money, counts of tokens). What is shown is never added up as floating-point numbers: a
 * total must equal its parts to the last digit.
 */
const DECIMALS = 12

function scaled(value: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,12}))?$/.exec(value)
  if (match === null) throw new Error(`not an exact amount: ${value}`)
  const digits = BigInt((match[2] ?? '0') + (match[3] ?? '').padEnd(DECIMALS, '0'))
  return match[1] === '-' ? -digits : digits
}

function plain(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`
}

export function addExact(values: Iterable<string>): string {
  let sum = 0n
  for (const value of values) sum += scaled(value)
  return plain(sum)
}

/** Below 0 when the first is less, 0 when they are equal, for sorting. */
export function compareExact(first: string, second: string): number {
  const [a, b] = [scaled(first), scaled(second)]
  return a < b ? -1 : a > b ? 1 : 0
}

export function isZero(value: string): boolean {
  return scaled(value) === 0n
}

/** Without its sign. */
export function magnitude(value: string): string {
  return value.replace(/^-/, '')
}
