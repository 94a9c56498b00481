import type { Provider } from '../../domain/provider.ts'
import type { HttpTarget } from '../../upstream/target.ts'

export const DEFAULT_BASE_URL = 'https://api.openai.com/v1'

/** The base address includes `/v1`. */
export function targetOf(provider: Provider, path: string): HttpTarget {
  const base = (provider.baseUrl ?? DEFAULT_BASE_URL).replace(/\/+$/, '')
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  if (provider.apiKey !== null) headers['authorization'] = `Bearer ${provider.apiKey}`
  return { url: base + path, headers: { ...headers, ...provider.headers } }
}
