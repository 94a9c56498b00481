import type { AuthorizeDeps } from '../providers/authorize.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { createKeySets } from '../tokens/key-sets.ts'
import { createTokenCallers, type TokenCallers } from '../tokens/token-callers.ts'
import { fetchThrough } from './open-upstream.ts'

interface Parts {
  asking: AuthorizeDeps
  /** Of how many threads this is one. */
  shares: number
  log: Log
  metrics: Pick<Metrics, 'tokenRefusals'>
}

const MOST_TOKENS = 20_000
/** Any client can send tokens that are refused: they must not fill the log. */
const [NOTED, NOTED_WITHIN_MS] = [10, 60_000]

export function openTokenCallers({ asking, shares, log, metrics }: Parts): TokenCallers {
  const fetch = fetchThrough(asking.upstream)
  const headers = { accept: 'application/json' }
  const keySets = createKeySets(async (url) => {
    const answer = await fetch(url, { method: 'GET', headers })
    return { status: answer.status, text: await answer.text(), cacheControl: answer.headers.get('cache-control') }
  }, asking.now)
  let [since, count] = [Number.NEGATIVE_INFINITY, 0]
  return createTokenCallers({
    keySets,
    now: asking.now,
    count: (issuer, kind) => metrics.tokenRefusals.add(1, [issuer, kind]),
    most: Math.floor(MOST_TOKENS / shares),
    note(facts) {
      const now = asking.now()
      if (now - since >= NOTED_WITHIN_MS) [since, count] = [now, 0]
      count += 1
      if (count <= NOTED)
        log.info(facts, count === NOTED ? 'a token was refused; more may follow' : 'a token was refused')
    },
  })
}
