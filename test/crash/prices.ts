import type { BilledCall } from '../../simulator/bill.ts'

/** One dollar a million prompt tokens, five a million answer tokens: every cost has at most six decimals. */
export function priceText(entry: string): string {
  return `  - { provider: ${entry}, input_per_mtok: "1", output_per_mtok: "5", max_output_tokens: 4096 }\n`
}

/** Of an exact amount as the API writes it. */
export function picodollars(usd: string): bigint {
  const [whole = '0', decimals = ''] = usd.split('.')
  return BigInt(whole + decimals.padEnd(12, '0'))
}

/** What the provider bills for these calls at the prices above, in picodollars: its own sum, with no code of the gateway's. */
export function billOf(calls: readonly BilledCall[]): bigint {
  let sum = 0n
  for (const { freshTokens, cachedTokens, cacheWriteTokens, completionTokens } of calls) {
    sum += BigInt(freshTokens + cachedTokens + cacheWriteTokens) * 1_000_000n + BigInt(completionTokens) * 5_000_000n
  }
  return sum
}
