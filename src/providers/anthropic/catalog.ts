import { tokenCount } from '../../domain/pricing/usage.ts'
import type { ModelTraits } from '../../domain/provider.ts'
import type { CatalogPage } from '../family.ts'
import { EFFORTS } from './models.ts'
import { WireModel, WireModelPage } from './wire.ts'

const THINKING_KINDS = ['adaptive', 'enabled', 'disabled', 'between_tools']

/** One page of the provider's model list; entries that are not models are skipped. Throws when it is not a list. */
export function modelsFromWire(body: unknown): CatalogPage {
  const page = WireModelPage.safeParse(body)
  if (!page.success) throw new TypeError('the model list has no "data" array')
  const { data, has_more: hasMore, last_id: lastId } = page.data
  const models = data.flatMap((entry) => {
    const model = WireModel.safeParse(entry)
    if (!model.success) return []
    return [{ id: model.data.id, created: createdSeconds(model.data), traits: traitsOf(model.data) }]
  })
  // A server that announces more but sends nothing would be called forever.
  const next = hasMore === true && data.length > 0 && lastId ? lastId : null
  return { models, next }
}

function createdSeconds(model: WireModel): number {
  const milliseconds = Date.parse(model.created_at ?? '')
  return Number.isNaN(milliseconds) ? 0 : Math.max(0, Math.floor(milliseconds / 1000))
}

function traitsOf(model: WireModel): ModelTraits {
  return {
    contextWindow: tokenCount(model.max_input_tokens) || null,
    maxOutputTokens: tokenCount(model.max_tokens) || null,
    efforts: supportedOf(EFFORTS, model.capabilities?.effort),
    thinking: supportedOf(THINKING_KINDS, model.capabilities?.thinking?.types),
  }
}

type Capability = Record<string, { supported?: boolean | null | undefined } | null | undefined>

/** Null: the list does not say. */
function supportedOf(names: readonly string[], capability: Capability | null | undefined): string[] | null {
  if (capability === null || capability === undefined) return null
  return names.filter((name) => capability[name]?.supported === true)
}
