import type { ChainEntry } from '../domain/route.ts'
import type { AttemptRecord } from '../request-log/record.ts'
import { type Balanced, type Begun, millisecondsInto } from './stages.ts'

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

/** The member that has the prompt cache of the call's session could not serve it. */
export function noteLeft(call: Balanced, entry: ChainEntry): void {
  if (entry !== call.home) return
  const last = call.attempts.findLast(({ provider, model }) => provider === entry.provider && model === entry.model)
  noteReason(last, `${last?.reason}; ${CACHE_LOST}`)
}

export function noteReason(attempt: AttemptRecord | undefined, reason: string): void {
  if (attempt !== undefined) attempt.reason = reason
}
