import type { CacheVerdict, RouteCache } from '../../domain/cache/route-cache.ts'
import type { CallReply } from '../../http/call.ts'
import type { CloseRecord } from '../../request-log/record.ts'
import { admitFree } from '../admit.ts'
import { storedReply } from '../answer.ts'
import type { Deps } from '../deps.ts'
import { priceFree } from '../price.ts'
import type { Aspect, Ended, Given, Resolved } from '../stages.ts'
import { cacheKeyOf } from './cache-key.ts'
import { cacheUse } from './cache-use.ts'
import { storedAnswerOf } from './store-answer.ts'
import type { StoredAnswer } from './stored-answer.ts'

/** The cache of its route. Two calls at once both ask: neither waits for the other. */
export class Cached implements Aspect {
  readonly #cache: RouteCache
  readonly #deps: Deps
  #verdict: CacheVerdict | null = null
  /** Where its answer is stored; null: it is not. */
  #key: string | null = null
  /** The answer it gets. */
  #hit: StoredAnswer | null = null

  constructor(cache: RouteCache, deps: Deps) {
    this.#cache = cache
    this.#deps = deps
  }

  /** A stored answer is admitted like any call, so that its rate counts and its row is open, but holds nothing. */
  async enter(call: Resolved): Promise<Given | null> {
    const use = cacheUse((name) => call.receiver.header(name), call.body.effects, this.#cache)
    const key = use === 'bypass' ? null : cacheKeyOf(call, this.#cache, this.#deps)
    this.#verdict = key === null || use === 'refresh' ? 'bypass' : 'miss'
    this.#key = key
    const found = key === null || use === 'refresh' ? null : await this.#deps.cache.find(key)
    if (found === null) {
      if (key !== null) call.delivery?.keep()
      return null
    }
    await admitFree(call, this.#deps)
    this.#verdict = 'hit'
    this.#hit = found
    call.adjustments = found.adjustments
    priceFree(call)
    return { reply: storedReply(found, call, this.#deps), hasRow: true }
  }

  addHeaders(headers: Record<string, string>): void {
    if (this.#verdict !== null) headers['x-gateway-cache'] = this.#verdict
  }

  addToRow(record: CloseRecord): void {
    record.cache = this.#verdict
    if (this.#hit === null) return
    const { id, provider, model, finishReason, costPicodollars, ignored, stream } = this.#hit
    Object.assign(record, { provider, model, finishReason, ignoredParams: ignored })
    record.savedPicodollars = costPicodollars
    record.answerOf = id
    if (stream !== null) Object.assign(record, { ended: 'finished', eventsSent: stream.events })
  }

  /** Its row is complete: its answer may be given again. */
  settled(ended: Ended, reply: CallReply | null): void {
    const { metrics, cache } = this.#deps
    const route = ended.call.resolved?.alias ?? '(direct)'
    if (this.#verdict !== null) metrics.cacheLookups.add(1, [route, this.#verdict])
    const saved = this.#hit?.costPicodollars ?? null
    if (saved !== null) metrics.cacheSavedUsd.add(Number(saved) / 1e12, [route])
    if (this.#key === null || this.#hit !== null) return
    const stored = storedAnswerOf(ended, reply, this.#cache.withTools)
    if (stored !== null) cache.keep(this.#key, stored, this.#cache.ttlMs)
  }
}
