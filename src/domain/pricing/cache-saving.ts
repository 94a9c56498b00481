import { CACHE_WRITE_CLASSES } from './classes.ts'
import { costOf, type Price } from './price.ts'
import type { TokenUsage } from './usage.ts'

/**
 * What the provider's prompt cache has saved on a call, in picodollars: its cost had no token been read from a cache or
 * written to one, less its cost. Negative where writes cost more than reads saved; null where no cache was used or a
 * price is unknown.
 */
export function cacheSaving(usage: TokenUsage, price: Price): bigint | null {
  let moved = usage.cachedInput
  for (const { name } of CACHE_WRITE_CLASSES) moved += usage[name]
  if (moved === 0) return null
  const without = { ...usage, input: usage.input + moved, cachedInput: 0 }
  for (const { name } of CACHE_WRITE_CLASSES) without[name] = 0
  const [dear, real] = [costOf(without, price), costOf(usage, price)]
  return dear === null || real === null ? null : dear - real
}
