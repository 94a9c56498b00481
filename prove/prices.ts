import type { BilledCall } from '../simulator/bill.ts'

/** Picodollars for a token. */
export const PRICES = {
  cheap: { input: 1_000_000n, output: 5_000_000n },
  dear: { input: 3_000_000n, output: 15_000_000n },
} as const

const MODELS = {
  'openai, model: gpt-plain': PRICES.cheap,
  'openai, model: gpt-sim-flaky-40': PRICES.cheap,
  'openai, model: gpt-sim-400': PRICES.cheap,
  'openai, model: gpt-sim-slow-150': PRICES.cheap,
  'openai, model: gpt-sim-events-20-5': PRICES.cheap,
  'anthropic, model: claude-plain': PRICES.dear,
  'anthropic, model: claude-sim-length': PRICES.dear,
} as const

const perMillion = (picodollars: bigint) => String(picodollars / 1_000_000n)

export const CONFIG = `workspaces:
  default:
    routes:
      plain: { chain: [{ provider: openai, model: gpt-plain }] }
      claude: { chain: [{ provider: anthropic, model: claude-plain }] }
      dearer: { chain: [{ provider: openai, model: gpt-sim-flaky-40, retries: 0 }, { provider: anthropic, model: claude-sim-length }] }
      refused: { chain: [{ provider: openai, model: gpt-sim-400, retries: 0 }] }
      slow: { chain: [{ provider: openai, model: gpt-sim-slow-150, retries: 0 }] }
      events: { chain: [{ provider: openai, model: gpt-sim-events-20-5, retries: 0 }] }
registry:
${Object.entries(MODELS)
  .map(
    ([model, { input, output }]) =>
      `  - { provider: ${model}, input_per_mtok: "${perMillion(input)}", output_per_mtok: "${perMillion(output)}", cached_input_per_mtok: "${perMillion(input)}", max_output_tokens: 4096 }`,
  )
  .join('\n')}
`

/** What the providers bill for these calls: their own sum, with no code of the gateway's. */
export function billOf(calls: readonly BilledCall[]): bigint {
  let sum = 0n
  for (const { model, freshTokens, cachedTokens, cacheWriteTokens, completionTokens } of calls) {
    const { input, output } = model.startsWith('claude') ? PRICES.dear : PRICES.cheap
    sum += BigInt(freshTokens + cachedTokens + cacheWriteTokens) * input + BigInt(completionTokens) * output
  }
  return sum
}

/** The most that a call of so many bytes and answer tokens costs at the dearer entry: every byte a token. */
export function dearestCall(request: object, answerTokens: number): bigint {
  const { input, output } = PRICES.dear
  return BigInt(Buffer.byteLength(JSON.stringify(request))) * input + BigInt(answerTokens) * output
}

/** Of an exact amount as the gateway writes it; null is nothing. */
export function picodollars(usd: string | null): bigint {
  const [whole = '0', decimals = ''] = (usd ?? '0').split('.')
  return BigInt(whole + decimals.padEnd(12, '0'))
}

export function usdOf(amount: bigint): string {
  const digits = String(amount).padStart(13, '0')
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '')
}
