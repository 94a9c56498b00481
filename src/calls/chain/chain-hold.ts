import { type ChainHold, type EntryTerms, holdOfTerms } from '../../limits/chain-hold.ts'
import { type HoldTerms, holdTerms, promptTokensBound } from '../../limits/hold.ts'
import { assess, type Candidate, type ChainDeps, type Situation } from './candidate.ts'

/** Over every entry that can serve the request: a circuit that is open now may be closed when its turn comes. */
export function chainHold(
  situation: Situation,
  deps: ChainDeps,
  prompt = promptTokensBound(situation.request, situation.bytes),
): ChainHold {
  const terms: EntryTerms[] = []
  for (const [position, entry] of situation.chain.entries()) {
    const fitness = assess(entry, position, situation, deps)
    if (fitness.kind === 'usable') terms.push({ entry, position, terms: termsAt(fitness.candidate, situation, prompt) })
  }
  return holdOfTerms(terms)
}

export function termsAt(
  { entry, wire, traits, heldPercent }: Candidate,
  { request, snapshot, bytes }: Situation,
  prompt = promptTokensBound(request, bytes),
): HoldTerms {
  const price = snapshot.registry.get(entry.provider)?.get(entry.model)?.price
  return holdTerms({ request, wire, price, ...traits, pricePercent: heldPercent }, prompt)
}
