import { isConfigured } from '../domain/provider.ts'
import type { LargeRequest } from '../large-bodies/large-bodies.ts'
import type { Destination } from '../large-bodies/protocol.ts'
import { type ChainDeps, type Situation, targetOf, traitsOf } from './candidate.ts'

/** Has a large request translated for every entry that can be called, so that `assess` finds it done. */
export async function translateLarge(large: LargeRequest, situation: Situation, deps: ChainDeps): Promise<void> {
  const { chain, snapshot, translations } = situation
  const destinations = chain.flatMap((entry, position): Destination[] => {
    const provider = snapshot.providers.get(entry.provider)
    if (provider === undefined || !isConfigured(provider) || !deps.families.has(provider.family)) return []
    const target = targetOf(entry, provider, traitsOf(entry, snapshot, deps), deps)
    return [{ position, family: provider.family, ...target }]
  })
  const translated = await large.translate(destinations)
  for (const [index, { position }] of destinations.entries()) {
    const translation = translated[index]
    if (translation !== undefined) translations.set(position, translation)
  }
}
