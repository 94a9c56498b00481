import type { ChainEntry } from '../../domain/route.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { worded } from '../../domain/wording/worded.ts'
import type { BudgetState } from '../../limits/admission.ts'
import type { ChainHold } from '../../limits/chain-hold.ts'
import type { Asked } from '../../limits/fit-in.ts'
import { moneyOf } from '../../limits/hold.ts'
import type { Fitness } from './assess.ts'

interface Tried extends Asked {
  fitnesses: Fitness[]
}

/** The steps that it takes, with this call in them. */
export interface SteppingDown<A> {
  snapshot: Snapshot
  workspace: string
  /** As the call came. */
  chain: readonly ChainEntry[]
  assess(chain: readonly ChainEntry[]): Fitness[] | Promise<Fitness[]>
  holdFor(fitnesses: Fitness[]): ChainHold
  ask(fitnesses: Fitness[]): Promise<A>
}

/** Concurrent calls may take the room that an entry fitted into. */
const MOST_TIMES = 5

const TOO_DEAR = worded`What is left of the budget does not cover this entry.`
const REASON = 'skipped: what is left of the budget does not cover it'

/**
 * A call that a budget with `when_tight: step_down` refuses is asked for again with those entries alone whose most fits
 * into what is left: of its own chain, and behind it of the route that the budget names. Every attempt is decided like the
 * first one, so the budget holds even if other calls come in between. `chain`: the one that it is sent along now.
 */
export async function stepDown<A extends Tried>(
  first: A,
  steps: SteppingDown<A>,
): Promise<A & { chain: readonly ChainEntry[] }> {
  let last = { ...first, chain: steps.chain }
  for (let times = 0; times < MOST_TIMES; times++) {
    const refusal = last.decision.kind === 'refused' ? last.decision.refusal : null
    if (refusal?.kind !== 'budget' || refusal.budget?.when_tight !== 'step_down') break
    const chain = longerChain(steps, refusal.budget.step_down_to)
    const fitnesses = withoutDear(await steps.assess(chain), refusal, steps.holdFor)
    if (!fitnesses.some(({ kind }) => kind === 'usable')) break
    last = { ...(await steps.ask(fitnesses)), chain }
  }
  return last
}

function longerChain(
  { chain, snapshot, workspace }: Pick<SteppingDown<unknown>, 'chain' | 'snapshot' | 'workspace'>,
  route: string | undefined,
): readonly ChainEntry[] {
  const more = route === undefined ? undefined : snapshot.workspaces.get(workspace)?.routes.get(route)?.chain
  if (more === undefined) return chain
  const isKnown = ({ provider, model }: ChainEntry) =>
    chain.some((entry) => entry.provider === provider && entry.model === model)
  return [...chain, ...more.filter((entry) => !isKnown(entry))]
}

/** Those that fit say so where they are not what the call would have been sent to. */
function withoutDear(
  fitnesses: readonly Fitness[],
  { limit, spent, held }: BudgetState,
  holdFor: SteppingDown<unknown>['holdFor'],
): Fitness[] {
  const left = limit - spent - held
  const firstChoice = fitnesses.find(({ kind }) => kind === 'usable')
  return fitnesses.map((fitness) => {
    if (fitness.kind !== 'usable') return fitness
    const [only] = holdFor([fitness]).terms
    const most = only === undefined ? null : moneyOf(only.terms)
    const { candidate, contextWindow } = fitness
    if (most === null || most > left) {
      return { kind: 'refused', code: 'budget_exceeded', message: TOO_DEAR, reason: REASON, contextWindow }
    }
    if (fitness === firstChoice || firstChoice?.kind !== 'usable') return fitness
    const from = firstChoice.candidate.entry.model
    const { model } = candidate.entry
    const told = { field: 'model', value: model, reason: 'stepped_down', from } as const
    return { ...fitness, candidate: { ...candidate, adjustments: [...candidate.adjustments, told] } }
  })
}
