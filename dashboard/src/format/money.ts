/**
 * Money arrives as exact decimal strings and is never turned into a floating-point number to be shown. Shortened
 * figures are rounded half up and never hide a cost behind a zero.
 */
interface Decimal {
  sign: '' | '−'
  /** The digits before the point, without leading zeros; "0" for none. */
  whole: string
  fraction: string
}

function parse(usd: string): Decimal {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(usd)
  if (match === null) throw new Error(`not an amount of money: ${usd}`)
  return {
    sign: match[1] === '-' ? '−' : '',
    whole: (match[2] ?? '0').replace(/^0+(?=\d)/, ''),
    fraction: match[3] ?? '',
  }
}

function rounded({ sign, whole, fraction }: Decimal, decimals: number): string {
  const digits = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
  const up = (fraction[decimals] ?? '0') >= '5' ? 1n : 0n
  const text = String(digits + up).padStart(decimals + 1, '0')
  const before = text.slice(0, text.length - decimals)
  const after = decimals === 0 ? '' : `.${text.slice(-decimals)}`
  return `${sign}$${before.replace(/\B(?=(\d{3})+$)/g, ',')}${after}`
}

function isZero({ whole, fraction }: Decimal): boolean {
  return whole === '0' && /^0*$/.test(fraction)
}

/** Every digit there is, at least two after the point: what a hover shows. */
export function exactUsd(usd: string): string {
  return alignedUsd([usd])[0] ?? ''
}

/** The same for amounts below each other: all with as many digits as the longest needs. */
export function alignedUsd(amounts: readonly string[]): string[] {
  const parsed = amounts.map(parse)
  const decimals = Math.max(2, ...parsed.map(({ fraction }) => fraction.replace(/0+$/, '').length))
  return parsed.map((amount) => rounded(amount, decimals))
}

/** For headings and sentences: two decimals from a dollar on, below that as many as it takes to show three digits. */
export function shortUsd(usd: string): string {
  const amount = parse(usd)
  if (isZero(amount)) return '$0'
  if (amount.whole !== '0') return rounded(amount, 2)
  const leadingZeros = /^0*/.exec(amount.fraction)?.[0].length ?? 0
  return rounded(amount, Math.min(12, Math.max(2, leadingZeros + 3)))
}

/** For columns: a fixed number of decimals, so that the points are aligned. Too small to show is "<". */
export function columnUsd(usd: string, decimals = 6): string {
  const amount = parse(usd)
  const text = rounded(amount, decimals)
  if (!isZero(amount) && /^−?\$[0.,]*$/.test(text)) return `<$${`0.${'0'.repeat(decimals - 1)}1`}`
  return text
}

/** A price per million tokens: as it was written, at least two decimals. Null: unknown. */
export function priceText(usdPerMillion: string | null): string {
  return usdPerMillion === null ? '–' : exactUsd(usdPerMillion)
}

/** For the height of a bar or the width of a share, where a picture is exact enough. */
export function drawableUsd(usd: string): number {
  return Number(usd)
}
