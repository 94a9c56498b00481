const NUMBER = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i

/**
 * A number times a power of ten as plain decimal text, exact: the digits of its shortest decimal form are moved, nothing
 * is calculated in floating point. `shiftedDecimal(1.5e-7, 6)` is "0.15". Null for what is no number from 0 up.
 */
export function shiftedDecimal(value: unknown, places: number): string | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const match = NUMBER.exec(String(value).trim())
  if (match === null) return null
  const [, whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  // Position of the point among the digits; it may lie outside of them.
  const point = whole.length + Number(exponent) + places
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const split = Math.max(point, 1)
  const left = padded.slice(0, split).replace(/^0+(?=\d)/, '')
  const right = padded.slice(split).replace(/0+$/, '')
  return right === '' ? left : `${left}.${right}`
}
