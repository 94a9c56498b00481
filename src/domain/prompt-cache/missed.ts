import { firstChange, type PromptChange } from './first-change.ts'
import type { PromptSegments } from './segments.ts'

/** A call of an agent in its session, as far as the provider's cache is concerned. */
export interface Turn {
  /** Unix milliseconds. */
  at: number
  provider: string
  model: string
  segments: PromptSegments
  tokens: { prompt: number; cached: number; written: number }
}

/** Shorter prompts are cached nowhere. */
const LEAST_TOKENS = 1_024
const MINUTE_MS = 60_000
/** How long providers keep a prompt that is not read again, where they promise anything. */
const SHORT_MS = 5 * MINUTE_MS
const LONG_MS = 60 * MINUTE_MS

/**
 * Why less than half of what the call before had left in the provider's cache was read again, in the gateway's own
 * words; null: it was read. `onlyMarked`: the provider caches only what a request marks.
 */
export function whyMissed(before: Turn, now: Turn, onlyMarked: boolean): string | null {
  const kept = before.tokens.cached + before.tokens.written
  const expected = Math.min(kept > 0 ? kept : before.tokens.prompt, now.tokens.prompt)
  if (expected < LEAST_TOKENS || now.tokens.cached * 2 >= expected) return null
  if (before.provider !== now.provider || before.model !== now.model) {
    return `the call before went to ${before.provider}/${before.model}, which has a cache of its own`
  }
  const change = firstChange(before.segments, now.segments)
  if (change !== null) return changeWords(change)
  if (onlyMarked && kept === 0 && now.tokens.written === 0) {
    return 'nothing in the request is marked for the cache; prompt_cache: auto of a route marks it'
  }
  const passedMs = now.at - before.at
  const isOld = passedMs > (before.segments.isKeptLong ? LONG_MS : SHORT_MS)
  if (isOld) return `nothing has changed, but the call before was ${Math.round(passedMs / MINUTE_MS)} minutes ago`
  return 'nothing has changed since the call before: the provider did not find it again'
}

function changeWords(change: PromptChange): string {
  const { part } = change
  if (part === 'params') return `${change.name} has changed since the call before`
  const { place, of } = change
  if (part === 'system') return `block ${place} of ${of} of the system prompt has changed since the call before`
  if (part === 'messages') return `message ${place} of the ${of} of the call before is no longer the same`
  const name = change.name === null ? '' : ` (${change.name})`
  const how = { added: 'was added', removed: 'was removed', moved: 'has moved', changed: 'has changed' }[change.how]
  return `tool ${place} of ${of}${name} ${how} since the call before`
}
