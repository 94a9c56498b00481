import type { Stated } from './usage.ts'

const DECIMAL = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/
/** Of a picodollar. */
const PLACES = 12

/**
 * An amount as its author wrote it, e.g. 7.1e-05. The shortest text that means the same double is what a vendor's program
 * printed, so no digit is lost; half a picodollar is rounded up. Null: no amount.
 */
export function statedUsd(value: unknown, by: string): Stated | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const [, whole, fraction = '', exponent = '0'] = DECIMAL.exec(String(value).trim()) ?? []
  if (whole === undefined) return null
  const places = PLACES + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  if (places > 30) return null
  const picodollars = places >= 0 ? digits * 10n ** BigInt(places) : rounded(digits, -places)
  return { picodollars: String(picodollars), by }
}

function rounded(digits: bigint, places: number): bigint {
  const unit = 10n ** BigInt(places)
  return (digits + unit / 2n) / unit
}

/** Whole ticks of 10⁻¹⁰ USD. */
export function statedTicks(value: unknown, by: string): Stated | null {
  return Number.isSafeInteger(value) && (value as number) >= 0
    ? { picodollars: String(BigInt(value as number) * 100n), by }
    : null
}

const NANODOLLAR = 1_000n
const MICRODOLLAR = 1_000_000n

/** What the vendor's own rounding may make a stated amount differ by: one prints only millionths of a dollar. */
export function roundingOf(by: string | null): bigint {
  return by === 'usage.cost.total_cost' ? MICRODOLLAR : NANODOLLAR
}
