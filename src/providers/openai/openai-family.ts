import type { Provider } from '../../domain/provider.ts'
import { UNKNOWN_TRAITS } from '../../domain/provider.ts'
import type { HttpTarget } from '../../upstream/target.ts'
import type { CatalogPage, Family } from '../family.ts'
import { isVendor } from '../pin.ts'
import { failureFromWire } from './failure.ts'
import { DEFAULT_BASE_URL, toWire } from './request.ts'
import { fromWire } from './response.ts'
import { mostTierPercent, TIER_PIN } from './tiers.ts'
import { ModelList } from './wire.ts'

const builtin = {
  name: 'openai',
  apiKeyVariable: 'OPENAI_API_KEY',
  baseUrlVariable: 'OPENAI_BASE_URL',
  modelPrefixes: ['gpt-', 'o', 'text-embedding-'],
}

export const openaiFamily: Family = {
  builtin,
  requestIdHeader: 'x-request-id',
  baseUrlHint: 'Does the base URL include /v1?',
  chatTarget: (provider) => targetOf(provider, '/chat/completions'),
  modelsTarget: (provider) => targetOf(provider, '/models'),
  toWire,
  isVerbatim: true,
  fromWire,
  failureFromWire,
  modelsFromWire,
  pins: [TIER_PIN],
  isOwnService: (provider) => isVendor(provider, builtin.name, DEFAULT_BASE_URL),
  mostPercent: mostTierPercent,
}

/** The base address includes `/v1`. */
function targetOf(provider: Provider, path: string): HttpTarget {
  const base = (provider.baseUrl ?? DEFAULT_BASE_URL).replace(/\/+$/, '')
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  if (provider.apiKey !== null) headers['authorization'] = `Bearer ${provider.apiKey}`
  return { url: base + path, headers: { ...headers, ...provider.headers } }
}

/** The list is one page. Servers that only resemble the original may leave out `created`. */
function modelsFromWire(body: unknown): CatalogPage {
  const parsed = ModelList.safeParse(body)
  if (!parsed.success) throw new TypeError('the model list has no "data" array of models')
  const models = parsed.data.data.map((model) => ({
    id: model.id,
    created: Math.trunc(model.created ?? 0),
    traits: UNKNOWN_TRAITS,
  }))
  return { models, next: null }
}
