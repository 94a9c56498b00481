import type { LargeRequest } from '../bodies/large-bodies.ts'
import type { Destination } from '../bodies/protocol.ts'
import { isConfigured } from '../domain/provider.ts'
import { type ChainDeps, type Situation, targetOf, traitsOf } from './chain/candidate.ts'

/**
 * Has a large request translated for every entry that can be called, so that `assess` finds it done. `isFinal`: it will
 * not be translated once more with other bounds.
 */
export async function translateLarge(
  large: LargeRequest,
  situation: Situation,
  deps: ChainDeps,
  isFinal: boolean,
): Promise<void> {
  const { chain, snapshot, translations } = situation
  const destinations = chain.flatMap((entry, position): Destination[] => {
    const provider = snapshot.providers.get(entry.provider)
    const family = provider === undefined ? undefined : deps.families.get(provider.family)
    if (provider === undefined || family === undefined || !isConfigured(provider)) return []
    const callee = { entry, position, provider, family, traits: traitsOf(entry, snapshot, deps) }
    return [{ position, family: provider.family, ...targetOf(callee, situation, deps) }]
  })
  const translated = await large.translate(destinations, isFinal)
  for (const [index, { position }] of destinations.entries()) {
    const translation = translated[index]
    if (translation !== undefined) translations.set(position, translation)
  }
}
