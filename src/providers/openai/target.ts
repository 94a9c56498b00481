import type { Provider } from '../../domain/provider.ts'
import type { HttpTarget } from '../../upstream/target.ts'
import { azurePath } from './azure/address.ts'
import { hasIdentity } from './azure/identity.ts'
import { dialectOf } from './dialect/dialect.ts'

export const DEFAULT_BASE_URL = 'https://api.openai.com/v1'

/** The base address includes `/v1`. `model` where the path may name it. */
export function targetOf(provider: Provider, path: string, model: string | null = null): HttpTarget {
  const dialect = dialectOf(provider)
  const { auth_header: keyHeader, api_version: version } = dialect?.options ?? {}
  const base = (provider.baseUrl ?? dialect?.vendor.baseUrl ?? DEFAULT_BASE_URL).replace(/\/+$/, '')
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  if (provider.apiKey !== null && !hasIdentity(provider)) {
    if (keyHeader === undefined) headers['authorization'] = `Bearer ${provider.apiKey}`
    else headers[keyHeader.toLowerCase()] = provider.apiKey
  }
  const address = dialect === null ? base + path : (azurePath(base, path, model, dialect) ?? base + path)
  const query = version === undefined ? '' : `?api-version=${encodeURIComponent(version)}`
  return { url: address + query, headers: { ...headers, ...provider.headers } }
}
