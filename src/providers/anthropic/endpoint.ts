import type { Provider } from '../../domain/provider.ts'
import type { HttpTarget } from '../../upstream/target.ts'

export const PUBLIC_BASE = 'https://api.anthropic.com'
/** The last version that accepts `temperature` and `top_p`, which pass through verbatim (docs/contract.md). */
const API_VERSION = '2023-06-01'
const PAGE_SIZE = 100

export function chatTarget(provider: Provider): HttpTarget {
  return postTarget(provider, '/v1/messages')
}

export function countTarget(provider: Provider): HttpTarget {
  return postTarget(provider, '/v1/messages/count_tokens')
}

function postTarget(provider: Provider, path: string): HttpTarget {
  const headers = { 'content-type': 'application/json', ...headersFor(provider) }
  return { url: baseOf(provider) + path, headers }
}

export function modelsTarget(provider: Provider, after: string | null): HttpTarget {
  const page = after === null ? '' : `&after_id=${encodeURIComponent(after)}`
  return { url: `${baseOf(provider)}/v1/models?limit=${PAGE_SIZE}${page}`, headers: headersFor(provider) }
}

/** The base excludes `/v1`, but people who know the other family often add it. */
function baseOf(provider: Provider): string {
  const base = (provider.baseUrl ?? PUBLIC_BASE).replace(/\/+$/, '')
  return base.endsWith('/v1') ? base.slice(0, -'/v1'.length).replace(/\/+$/, '') : base
}

/** The operator's headers win, except over the provider's key, which has its own setting. */
function headersFor(provider: Provider): Record<string, string> {
  const headers: Record<string, string> = { 'anthropic-version': API_VERSION }
  for (const [name, value] of Object.entries(provider.headers)) headers[name.toLowerCase()] = value
  if (provider.apiKey !== null) headers['x-api-key'] = provider.apiKey
  return headers
}
