import type { CallReply } from '../http/call.ts'
import { admitFree } from './admit.ts'
import { cacheKeyOf } from './cache/cache-key.ts'
import { cacheUse } from './cache/cache-use.ts'
import { storedAnswerOf } from './cache/store-answer.ts'
import type { Deps } from './deps.ts'
import { FREE } from './price.ts'
import type { Ended, Resolved } from './stages.ts'

/**
 * True: the call of a route with a cache gets a stored answer. It is admitted like any call, so that its rate counts
 * and its row is open, but holds nothing and asks no provider. Two calls at once both ask: neither waits for the other.
 */
export async function isCached(call: Resolved, deps: Deps): Promise<boolean> {
  const { resolved, endpoint, body, receiver } = call
  const { cache } = resolved
  if (cache === undefined || endpoint.isFree === true) return false
  const use = cacheUse((name) => receiver.header(name), body.effects, cache)
  const key = use === 'bypass' ? null : cacheKeyOf(call, cache, deps)
  call.caching = { key, verdict: key === null || use === 'refresh' ? 'bypass' : 'miss', hit: null }
  const found = key === null || use === 'refresh' ? null : await deps.cache.find(key)
  if (found === null) {
    if (key !== null) call.delivery?.keep()
    return false
  }
  const admitted = await admitFree(call, deps)
  Object.assign(admitted, { caching: { key, verdict: 'hit', hit: found }, cost: FREE, adjustments: found.adjustments })
  return true
}

/** Its row is complete: its answer may be given again. */
export function keepAnswer(ended: Ended, reply: CallReply | null, deps: Pick<Deps, 'cache'>): void {
  const { caching, resolved } = ended.call
  const cache = resolved?.cache
  if (caching === null || caching.key === null || caching.hit !== null || cache === undefined) return
  const stored = storedAnswerOf(ended, reply, cache.withTools)
  if (stored !== null) deps.cache.keep(caching.key, stored, cache.ttlMs)
}
