import type { Fetch } from '../management/access/oidc/settings.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import { stoppageWords } from '../upstream/stoppage-words.ts'
import { bodyOf } from '../upstream/whole-response.ts'

const TIMEOUT_MS = 10_000

/** As providers are asked: through the proxy of the environment, to no address that is refused, without redirects. */
export function fetchThrough(upstream: UpstreamClient): Fetch {
  return async (url, { method, headers, body }) => {
    const options = { method: method as 'GET' | 'POST', body: body ?? null, timeoutMs: TIMEOUT_MS, presence: null }
    const reply = await upstream.exchange(upstream.endpoint({ url, headers }), options)
    if (reply.kind === 'caller-left') throw new Error('cancelled')
    if (reply.kind !== 'reply') throw new Error(stoppageWords(reply, url, TIMEOUT_MS))
    const named = ['content-type', 'www-authenticate', 'location', 'cache-control', 'age'].flatMap((name) => {
      const value = reply.headers.get(name)
      return value === undefined ? [] : [[name, value] as [string, string]]
    })
    return new Response(new Uint8Array(bodyOf(reply)), { status: reply.status, headers: named })
  }
}
