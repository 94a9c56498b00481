/** `USE1-NAME-cache-read-input-token-count-batch`: region, model, direction, tier. */
const USAGE_TYPE =
  /^(?:[A-Z]{2,4}\d?-)?(.+?)(?:-mantle)?-(input-tokens|output-tokens|cache-read-input-token-count|cache-write-input-token-count)(?:-(.+))?$/

const CLASSES: Readonly<Record<string, string>> = {
  'input-tokens': 'input',
  'output-tokens': 'output',
  'cache-read-input-token-count': 'cached_input',
  'cache-write-input-token-count': 'cache_write_5m',
}

export interface UsageType {
  model: string
  class: string
  tier: string | null
}

export function usageTypeOf(text: string): UsageType | null {
  const [, model, direction = '', tier] = USAGE_TYPE.exec(text) ?? []
  const name = CLASSES[direction]
  return model === undefined || name === undefined ? null : { model, class: name, tier: tier ?? null }
}

/** Many prices are per thousand or million tokens, and then quantities are too. */
export function tokensPerUnit(unit: string | null): bigint {
  if (unit === null) return 1n
  if (/^(?:1k|1000|1,000|thousand)/i.test(unit)) return 1_000n
  return /^(?:1m|1000000|1,000,000|million)/i.test(unit) ? 1_000_000n : 1n
}
