import type { ChainEntry } from '../domain/route.ts'
import { type Begun, millisecondsInto } from './stages.ts'

/** Prompt caches are per account and region. */
export const CACHE_LOST = 'its session moves, and the prompt cache that it had here is lost'

export function noteSkipped(call: Begun, { provider, model }: ChainEntry, reason: string): void {
  call.attempts.push({
    kind: 'skipped',
    provider,
    model,
    startedAfterMs: millisecondsInto(call),
    durationMs: 0,
    status: null,
    code: null,
    upstreamRequestId: null,
    reason,
  })
}

/** Of the last attempt. */
export function noteReason(call: Begun, reason: string): void {
  const last = call.attempts.at(-1)
  if (last !== undefined) last.reason = reason
}
