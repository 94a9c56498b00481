import type { Condition } from '../domain/alerts/alert.ts'
import type { AlertRules } from '../domain/alerts/rules.ts'
import { cacheLevels, dailyLevels, type TrafficRow, usualLevel } from './traffic.ts'

const HALF_HOUR_MS = 1_800_000
/** Of routes that read less anyway, chance moves the share too much. */
const LEAST_USUAL = 0.2

/** The share of a route's prompts that came from the provider's cache, within this hour and the one before. */
export function promptCacheConditions(
  hours: readonly TrafficRow[],
  days: readonly TrafficRow[],
  { enabled, factor, calls }: AlertRules['prompt_cache'],
): Condition[] {
  if (!enabled) return []
  const usual = dailyLevels(days, cacheLevels)
  return cacheLevels(hours).flatMap(({ names, value, calls: made }) => {
    const normal = usualLevel(usual.get(JSON.stringify(names)) ?? [], calls) ?? 0
    if (made < calls || normal < LEAST_USUAL || value * factor > normal) return []
    const [workspace, route] = names
    const subject = route === '' ? 'direct calls' : `route ${route}`
    return {
      identity: `prompt_cache ${workspace} ${route}`,
      rule: 'prompt_cache',
      severity: 'warning',
      subject,
      workspace,
      summary: `${share(value)} of the prompts of ${made} calls (${subject}, ${workspace}) came from the prompt cache; usual: ${share(normal)}`,
      forMs: 0,
      holdMs: HALF_HOUR_MS,
      isOnce: false,
      supersedes: [],
    }
  })
}

function share(value: number): string {
  return `${Math.round(100 * value)} %`
}
