import { readFile } from 'node:fs/promises'
import { AuthorizationError } from '../providers/authorization.ts'
import type { AuthorizeDeps } from '../providers/authorize.ts'
import { createTokens, type Tokens } from '../providers/tokens.ts'
import { createUpstreamClient, type UpstreamClient } from '../upstream/client.ts'
import { bodyOf } from '../upstream/whole-response.ts'

const TIMEOUT_MS = 15_000

/** What it takes to ask providers. */
export function openUpstream(now: () => number): AuthorizeDeps {
  const upstream = createUpstreamClient()
  return { upstream, tokens: openTokens(upstream, now), now }
}

/** The tokens of providers whose families fetch some, with the effects that this takes. */
function openTokens(upstream: UpstreamClient, now: () => number): Tokens {
  return createTokens({
    now,
    environment: process.env,
    readFile: (path) => readFile(path, 'utf8'),
    async request({ method, body, ...target }) {
      const reply = await upstream.exchange(upstream.endpoint(target), {
        method,
        body,
        timeoutMs: TIMEOUT_MS,
        presence: null,
      })
      if (reply.kind === 'reply') return { status: reply.status, text: bodyOf(reply).toString('utf8') }
      throw new AuthorizationError(
        `No token could be fetched: ${new URL(target.url).host} does not answer (${reply.kind}).`,
      )
    },
  })
}
