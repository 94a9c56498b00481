/** One dollar a million prompt tokens, five a million answer tokens: every cost has at most six decimals. */
export function priceText(entry: string): string {
  return `  - { provider: ${entry}, input_per_mtok: "1", output_per_mtok: "5", max_output_tokens: 4096 }\n`
}

/** Of an exact amount as the API writes it. */
export function picodollars(usd: string): bigint {
  const [whole = '0', decimals = ''] = usd.split('.')
  return BigInt(whole + decimals.padEnd(12, '0'))
}
