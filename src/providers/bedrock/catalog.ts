import { z } from 'zod'
import { type Provider, UNKNOWN_TRAITS } from '../../domain/provider.ts'
import type { HttpTarget } from '../../upstream/target.ts'
import type { CatalogPage } from '../family.ts'
import { controlTarget } from './endpoint.ts'

const FoundationModels = z.object({ modelSummaries: z.array(z.unknown()) })
const FoundationModel = z.object({
  modelId: z.string().min(1),
  outputModalities: z.array(z.string()).nullish().catch(null),
})
const InferenceProfiles = z.object({
  inferenceProfileSummaries: z.array(z.unknown()),
  nextToken: z.string().nullish().catch(null),
})
const InferenceProfile = z.object({ inferenceProfileId: z.string().min(1) })

/** The pages after the models are those of the inference profiles, by which many models must be called. */
const PROFILES = 'profiles:'

export function modelsTarget(provider: Provider, after: string | null): HttpTarget {
  if (after === null) return controlTarget(provider, '/foundation-models')
  const token = after.slice(PROFILES.length)
  const query = `maxResults=1000${token === '' ? '' : `&nextToken=${encodeURIComponent(token)}`}`
  return controlTarget(provider, `/inference-profiles?${query}`)
}

/** Entries that are not models, or write no text, are skipped. Throws when it is not a list. */
export function modelsFromWire(body: unknown): CatalogPage {
  const models = FoundationModels.safeParse(body)
  if (models.success) {
    const ids = models.data.modelSummaries.flatMap((entry) => {
      const model = FoundationModel.safeParse(entry)
      if (!model.success || model.data.outputModalities?.includes('TEXT') === false) return []
      return [model.data.modelId]
    })
    return { models: ids.map(listed), next: PROFILES }
  }
  const profiles = InferenceProfiles.safeParse(body)
  if (!profiles.success) throw new TypeError('the model list has no "modelSummaries" array')
  const ids = profiles.data.inferenceProfileSummaries.flatMap((entry) => {
    const profile = InferenceProfile.safeParse(entry)
    return profile.success ? [profile.data.inferenceProfileId] : []
  })
  const { nextToken } = profiles.data
  return { models: ids.map(listed), next: nextToken ? PROFILES + nextToken : null }
}

function listed(id: string): CatalogPage['models'][number] {
  return { id, created: 0, traits: UNKNOWN_TRAITS }
}
