import type { Attribution } from '../domain/attribution.ts'
import type { CallRequest } from '../domain/request/call-request.ts'
import { arrange } from './chain/arrange.ts'
import { CIRCUIT_REASON } from './chain/chain-cursor.ts'
import type { Deps } from './deps.ts'
import { CACHE_LOST, noteSkipped } from './note-attempt.ts'
import { advance, type Balanced, type Resolved } from './stages.ts'

/** Orders the groups of a route for this call. From here on its chain is a plain list. */
export function balance(resolved: Resolved, deps: Deps): Balanced {
  const { places } = resolved.resolved
  const call = advance<Balanced>(resolved)
  call.home = null
  call.releaseEntry = nothingToRelease
  if (places === null) return call
  const { snapshot, delivery, attribution, body } = resolved
  const session = sessionKeyOf(attribution, body.request)
  const { chain, home } = arrange(places, { session, isStream: delivery !== null, snapshot }, deps)
  const [first] = chain
  // Counted at once: calls that arrive together are spread, too.
  if (first !== undefined) call.releaseEntry = deps.traffic.enter(first)
  call.home = home
  call.resolved = { ...resolved.resolved, chain }
  if (home !== null && home !== first) noteSkipped(call, home, `${CIRCUIT_REASON}; ${CACHE_LOST}`)
  return call
}

const nothingToRelease = () => {}

/** What the calls of one conversation have in common. It is hashed, and stored nowhere. */
export function sessionKeyOf({ session, user }: Attribution, request: CallRequest): string | null {
  const cacheKey = (request as { prompt_cache_key?: unknown }).prompt_cache_key
  return session ?? (typeof cacheKey === 'string' && cacheKey !== '' ? cacheKey : user)
}
