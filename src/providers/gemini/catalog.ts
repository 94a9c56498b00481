import { tokenCount } from '../../domain/pricing/usage.ts'
import type { ModelTraits } from '../../domain/provider.ts'
import type { CatalogPage } from '../family.ts'
import { WireModel, WireModelPage } from './wire.ts'

/** One page of the model list; entries that are not models for us are skipped. Throws when it is not a list. */
export function modelsFromWire(body: unknown): CatalogPage {
  const page = WireModelPage.safeParse(body)
  // The last page of a list may have no models at all.
  if (!page.success || (!page.data.models && !page.data.nextPageToken && !isEmptyPage(body))) {
    throw new TypeError('the model list has no "models" array')
  }
  const models = (page.data.models ?? []).flatMap((entry) => {
    const model = WireModel.safeParse(entry)
    if (!model.success || !isServed(model.data)) return []
    return [{ id: model.data.name.replace(/^models\//, ''), created: 0, traits: traitsOf(model.data) }]
  })
  return { models, next: page.data.nextPageToken || null }
}

function isEmptyPage(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0
}

const SERVED: ReadonlySet<string> = new Set(['generateContent', 'embedContent'])

function isServed({ supportedGenerationMethods: methods }: WireModel): boolean {
  return !methods || methods.some((method) => SERVED.has(method))
}

function traitsOf({ inputTokenLimit, outputTokenLimit, thinking }: WireModel): ModelTraits {
  return {
    contextWindow: tokenCount(inputTokenLimit) || null,
    maxOutputTokens: tokenCount(outputTokenLimit) || null,
    efforts: null,
    thinking: typeof thinking === 'boolean' ? (thinking ? ['thinking'] : []) : null,
  }
}
