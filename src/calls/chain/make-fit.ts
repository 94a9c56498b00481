import type { RequestBody } from '../../bodies/request-body.ts'
import type { OutputBounds } from '../../domain/request/output-limit.ts'
import type { Decision } from '../../limits/admission.ts'
import type { ChainHold, FittedLimits } from '../../limits/chain-hold.ts'
import { fitIn, mayFit, mayStepDown } from '../../limits/fit-in.ts'
import type { Payer } from '../../limits/spend-ledger.ts'
import type { Deps } from '../deps.ts'
import { assessChain, type ChainContext, type Fitness, NOTHING_FITTED } from './assess.ts'
import { withFewerTools } from './fewer-tools.ts'
import { stepDown } from './step-down.ts'

interface Tried {
  fitnesses: Fitness[]
  hold: ChainHold
  decision: Decision
}

/** A call that the ledger has refused, and how it is asked for again. */
interface Refused {
  body: RequestBody
  context: ChainContext
  payer: Payer
  id: string
  holdFor(fitnesses: Fitness[]): ChainHold
}

/** Makes a refused call smaller or cheaper, as far as its budgets say so. `context.chain` is then what it is sent along. */
export async function makeFit(first: Tried, refused: Refused, deps: Deps): Promise<Tried> {
  const { body, context, payer, id, holdFor } = refused
  const { chain, snapshot, workspace } = context
  const fits = mayFit(payer)
  const ask = async (fitnesses: Fitness[]) => {
    const hold = holdFor(fitnesses)
    return { fitnesses, hold, decision: await deps.ledger.admit(payer, hold, id) }
  }
  const assess = (fitted: FittedLimits, toolCalls = context.toolCalls) => {
    if (toolCalls !== undefined) context.toolCalls = toolCalls
    return assessChain(body, context, deps, fitted, false)
  }
  const fewer = (toolCalls: OutputBounds) => assess(NOTHING_FITTED, toolCalls)
  let last = await withFewerTools(first, fits, fewer, ask)
  if (mayStepDown(payer)) {
    const along = (longer: typeof chain) => {
      context.chain = longer
      return assess(NOTHING_FITTED)
    }
    const stepped = await stepDown(last, { snapshot, workspace, chain, assess: along, holdFor, ask })
    // What follows goes along the same entries as what was decided.
    context.chain = stepped.chain
    last = stepped
  }
  // Again, with the most that the fitting hard budget can pay for.
  return fits ? fitIn(last, async (fitted) => ask(await assess(fitted))) : last
}
