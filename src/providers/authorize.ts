import type { Provider } from '../domain/provider.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import type { Endpoint } from '../upstream/exchange.ts'
import { AuthorizationError, type OutgoingRequest, type Token } from './authorization.ts'
import type { Family } from './family.ts'
import { targetVia } from './target-via.ts'
import type { Tokens } from './tokens.ts'

export interface AuthorizeDeps {
  upstream: UpstreamClient
  tokens: Tokens
  /** Unix milliseconds. */
  now(): number
}

/** Whether each request needs header fields of its own. */
export function isSigned({ authorization }: Family, provider: Provider): boolean {
  return authorization?.appliesTo(provider) === true
}

/** `token`: the one that was fetched for it; null where none is needed. */
export type Authorized = Endpoint & { token: Token | null }

/** Why nothing could be sent, for an operator. */
export type Unauthorized = { kind: 'unauthorized'; detail: string } | { kind: 'timeout'; phase: 'token' }

/** The place to send a request to, with the header fields that show who calls. */
export async function authorize(
  request: OutgoingRequest,
  provider: Provider,
  { authorization }: Family,
  { upstream, tokens, now }: AuthorizeDeps,
): Promise<Authorized | Unauthorized> {
  const target = targetVia(provider, request)
  if (authorization === undefined || !authorization.appliesTo(provider))
    return { ...upstream.endpoint(target), token: null }
  try {
    const token = await tokens.of(provider, authorization)
    const proof = await authorization.headers(request, provider, token, now())
    return { ...upstream.endpoint({ ...target, headers: { ...target.headers, ...proof } }), token }
  } catch (error) {
    if (!(error instanceof AuthorizationError)) throw error
    return error.isTimeout ? { kind: 'timeout', phase: 'token' } : { kind: 'unauthorized', detail: error.message }
  }
}
