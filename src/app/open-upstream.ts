import { readFile } from 'node:fs/promises'
import { hideEverywhere } from '../domain/provider.ts'
import { proxySecrets } from '../domain/proxy-url.ts'
import type { Fetch } from '../management/access/oidc/settings.ts'
import { AuthorizationError } from '../providers/authorization.ts'
import type { AuthorizeDeps } from '../providers/authorize.ts'
import { createTokens, type Tokens } from '../providers/tokens.ts'
import { createUpstreamClient, type UpstreamClient } from '../upstream/client.ts'
import { environmentProxies, PROXY_VARIABLES, proxyNamed } from '../upstream/environment-proxies.ts'
import { stoppageWords } from '../upstream/stoppage-words.ts'
import { bodyOf } from '../upstream/whole-response.ts'

type Environment = Readonly<Record<string, string | undefined>>

const TIMEOUT_MS = 15_000

/** What it takes to ask providers. */
export function openUpstream(now: () => number, environment: Environment): AuthorizeDeps {
  const proxies = PROXY_VARIABLES.map((name) => proxyNamed(environment[name]))
  hideEverywhere(proxies.flatMap((proxy) => (proxy === null ? [] : proxySecrets(proxy))))
  const upstream = createUpstreamClient({ proxyFor: environmentProxies(environment) })
  return { upstream, tokens: openTokens(upstream, now, environment), now }
}

/** The tokens of providers whose families fetch some, with the effects that this takes. */
function openTokens(upstream: UpstreamClient, now: () => number, environment: Environment): Tokens {
  return createTokens({
    now,
    environment,
    readFile: (path) => readFile(path, 'utf8'),
    async request({ method, body, timeoutMs = TIMEOUT_MS, ...target }) {
      const reply = await upstream.exchange(upstream.endpoint(target), {
        method,
        body,
        timeoutMs,
        presence: null,
      })
      if (reply.kind === 'reply') return { status: reply.status, text: bodyOf(reply).toString('utf8') }
      const words =
        reply.kind === 'caller-left' ? 'the call was cancelled' : stoppageWords(reply, target.url, timeoutMs)
      throw new AuthorizationError(`No token could be fetched: ${words}`, { isTimeout: reply.kind === 'timeout' })
    },
  })
}

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
