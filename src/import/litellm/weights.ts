import { approximate, type Verdict } from './notes.ts'

export type Share = 'weight' | 'rpm' | 'tpm'
const SHARES: readonly Share[] = ['weight', 'rpm', 'tpm']

type Shares = Readonly<Record<Share, number | null>>

/**
 * Which of the three counts is decided by the first deployment of a group, and LiteLLM passes over one that adds up to
 * nothing; null: all are equal.
 */
export function sharedBy(members: readonly Shares[]): Share | null {
  const sum = (share: Share) => members.reduce((total, each) => total + (each[share] ?? 0), 0)
  return SHARES.find((share) => (members[0]?.[share] ?? null) !== null && sum(share) > 0) ?? null
}

/** How the weight of a member works differently; null: it does not. */
export function oddWeight(weight: number, members: readonly Shares[]): Verdict | null {
  const isIgnored = members.reduce((total, each) => total + (each.weight ?? 0), 0) <= 0
  if (isIgnored) return approximate(null, 'ignored: LiteLLM takes no weights that add up to 0 or less')
  if (weight < 0)
    return approximate('weight', 'below 0: counted as 0, so it is asked only when the others cannot serve')
  if (members.some((each) => (each.weight ?? 0) < 0))
    return approximate('weight', 'a weight below 0 beside it shifts the shares in LiteLLM; here it does not')
  if (weight > 0) return null
  return approximate('weight', '0: asked when the others cannot serve; LiteLLM asks it only while they cool down')
}

const MOST_WEIGHT = 1000
const MOST_DECIMALS = 6

/** Shares as whole numbers from 0 to 1000; what is not 0 stays above it. */
export function wholeWeights(shares: readonly number[]): { weights: number[]; isScaled: boolean } {
  const positive = shares.map((share) => Math.max(0, share))
  if (positive.every((share) => share === 0)) return { weights: shares.map(() => 1), isScaled: true }
  const decimals = Math.min(MOST_DECIMALS, Math.max(...positive.map(decimalsOf)))
  const whole = positive.map((share) => Math.round(share * 10 ** decimals))
  const divisor = whole.reduce(greatestCommonDivisor)
  const plain = whole.map((share) => share / divisor)
  const largest = Math.max(...plain)
  if (largest <= MOST_WEIGHT) return { weights: plain, isScaled: false }
  const scaled = plain.map((share) => (share === 0 ? 0 : Math.max(1, Math.round((share * MOST_WEIGHT) / largest))))
  return { weights: scaled, isScaled: true }
}

function decimalsOf(value: number): number {
  return (/\.(\d+)$/.exec(value.toFixed(MOST_DECIMALS).replace(/0+$/, ''))?.[1] ?? '').length
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
