import type { PromptTokens } from '../../domain/request/bounds.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { type ChainHold, type EntryTerms, holdOfTerms } from '../../limits/chain-hold.ts'
import { type HoldTerms, holdTerms } from '../../limits/hold.ts'
import type { Candidate, Fitness } from './assess.ts'

/** Over every entry that can serve the request: a circuit that is open now may be closed when its turn comes. */
export function chainHold(
  fitnesses: readonly Fitness[],
  promptTokens: PromptTokens,
  snapshot: Snapshot,
  isHedged = false,
  isStream = false,
): ChainHold {
  const terms: EntryTerms[] = []
  for (const fitness of fitnesses) {
    if (fitness.kind !== 'usable') continue
    const { candidate } = fitness
    const { entry, position } = candidate
    terms.push({ entry, position, terms: termsAt(candidate, promptTokens, snapshot) })
  }
  return holdOfTerms(terms, isHedged, isStream)
}

export function termsAt(candidate: Candidate, prompt: PromptTokens, { registry }: Snapshot): HoldTerms {
  const { entry, bounds, traits, heldPercent } = candidate
  const price = registry.get(entry.provider)?.get(entry.model)?.price
  const promptTokens = promptBound(candidate, prompt)
  const { contextWindow, maxOutputTokens } = traits
  return holdTerms({ promptTokens, bounds, price, contextWindow, maxOutputTokens, pricePercent: heldPercent })
}

/** Null: not even the context window is known. */
export function promptBound({ destination, traits, entry }: Candidate, { most, visible }: PromptTokens): number | null {
  const bound = destination.isStrict === true ? most : visible
  return bound === null ? traits.contextWindow : bound + (entry.defaults?.bytes ?? 0)
}
