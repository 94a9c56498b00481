import type { Provider } from '../../domain/provider.ts'
import type { HttpTarget } from '../../upstream/target.ts'
import type { Door, Method } from './door.ts'

export const PUBLIC_BASE = 'https://generativelanguage.googleapis.com/v1beta'
const PAGE_SIZE = 1000

/** The last part of a path that names a version. */
const VERSIONED = /\/v\d+(?:alpha|beta)?\d*$/

export const DIRECT: Door = { name: 'gemini', target: modelTarget, readsStorage: false }

function modelTarget(provider: Provider, model: string, method: Method): HttpTarget {
  return { url: `${baseOf(provider)}/${pathOf(model)}:${methodWords(method)}`, headers: headersFor(provider) }
}

/** Without `alt=sse` a stream is one JSON array. */
export function methodWords(method: Method): string {
  return method === 'streamGenerateContent' ? `${method}?alt=sse` : method
}

export function modelsTarget(provider: Provider, after: string | null): HttpTarget {
  const page = after === null ? '' : `&pageToken=${encodeURIComponent(after)}`
  return { url: `${baseOf(provider)}/models?pageSize=${PAGE_SIZE}${page}`, headers: headersFor(provider) }
}

/** People know the host; the version is ours to add. */
function baseOf({ baseUrl }: Provider): string {
  const base = (baseUrl ?? PUBLIC_BASE).replace(/\/+$/, '')
  return VERSIONED.test(base) ? base : `${base}/v1beta`
}

/** The caller's model as one path segment. */
function pathOf(model: string): string {
  const [, kind = 'models', id = ''] = /^(?:(models|tunedModels)\/)?(.*)$/s.exec(model) ?? []
  return `${kind}/${encodeURIComponent(id)}`
}

/** The operator's headers win, except over the key. The key is never in the URL, because proxies log URLs. */
export function headersFor(provider: Provider): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  for (const [name, value] of Object.entries(provider.headers)) headers[name.toLowerCase()] = value
  if (provider.apiKey !== null) headers['x-goog-api-key'] = provider.apiKey
  return headers
}
