import { z } from 'zod'
import { UNKNOWN_TRAITS } from '../../domain/provider.ts'
import type { CatalogPage } from '../family.ts'

const Page = z.object({
  publisherModels: z.array(z.unknown()).nullish(),
  nextPageToken: z.string().nullish().catch(null),
})
const Model = z.object({ name: z.string().min(1) })

/** One page of a publisher's models. The list has only their names. */
export function modelsFromWire(body: unknown): CatalogPage {
  const page = Page.safeParse(body)
  if (!page.success) throw new TypeError('the model list has no "publisherModels" array')
  const models = (page.data.publisherModels ?? []).flatMap((entry) => {
    const model = Model.safeParse(entry)
    const id = model.success ? model.data.name.slice(model.data.name.lastIndexOf('/') + 1) : ''
    return id === '' ? [] : [{ id, created: 0, traits: UNKNOWN_TRAITS }]
  })
  return { models, next: page.data.nextPageToken || null }
}
