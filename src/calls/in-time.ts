import type { Unauthorized } from '../providers/authorize.ts'
import type { Leg } from './hedge/leg.ts'

/** Fetching a token takes its time: as long as the call may take, and no longer than an entry is needed. */
export function inTime<Place>(
  place: Promise<Place>,
  timeoutMs: number,
  leg: Leg | null,
): Promise<Place | Unauthorized | { kind: 'caller-left' }> {
  const { promise, resolve, reject } = Promise.withResolvers<Place | Unauthorized | { kind: 'caller-left' }>()
  const timer = setTimeout(() => resolve({ kind: 'timeout', phase: 'token' }), timeoutMs)
  const stopListening = leg?.onLeave(() => resolve({ kind: 'caller-left' }))
  place.then(resolve, reject).finally(() => {
    clearTimeout(timer)
    stopListening?.()
  })
  return promise
}
