import { DEFAULT_TOOL_CALLS } from '../../domain/request/bounds.ts'
import type { OutputBounds } from '../../domain/request/output-limit.ts'
import type { Asked } from '../../limits/fit-in.ts'
import type { Fitness } from './assess.ts'

interface Tried extends Asked {
  fitnesses: Fitness[]
}

/**
 * A call that a budget refuses is asked for again with fewer calls of the provider's tools, at last without them. Where the
 * caller named the number, it is lowered only if the budget fits calls.
 */
export async function withFewerTools<A extends Tried>(
  first: A,
  mayFit: boolean,
  assess: (toolCalls: OutputBounds) => Fitness[] | Promise<Fitness[]>,
  ask: (fitnesses: Fitness[]) => Promise<A>,
): Promise<A> {
  let last = first
  for (let calls = DEFAULT_TOOL_CALLS - (mayFit ? 0 : 1); calls >= 0; calls--) {
    if (last.decision.kind !== 'refused' || last.decision.refusal.kind !== 'budget' || !hasTools(last)) break
    const fitnesses = await assess({ default: calls, most: mayFit ? calls : null })
    // A tool that the caller forces cannot be left out: then the budget's own words are the answer.
    if (usable(fitnesses) < usable(last.fitnesses)) break
    last = await ask(fitnesses)
  }
  return last
}

function hasTools({ hold }: Tried): boolean {
  return hold.terms.some(({ terms }) => terms.tools !== undefined)
}

function usable(fitnesses: readonly Fitness[]): number {
  return fitnesses.filter(({ kind }) => kind === 'usable').length
}
