import type { RequestBody } from '../bodies/request-body.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Choice } from '../domain/request/bounds.ts'
import { budgetState, fits, type Refusal, tightest } from '../limits/admission.ts'
import type { ChainHold } from '../limits/chain-hold.ts'
import { limitError } from '../limits/errors.ts'
import { fittedTo } from '../limits/fit-in.ts'
import type { Scope } from '../limits/ledger.ts'
import type { Payer, SpendLedger } from '../limits/spend-ledger.ts'
import { assessChain, type ChainContext, type ChainDeps, type Fitness } from './chain/assess.ts'
import { chainHold } from './chain/chain-hold.ts'

/**
 * The answer of the payer's hard budgets to this call now (null: no objection), and what each entry could do then, with
 * the call fitted if a budget asks for that. Rates are not checked: they change from one moment to the next.
 */
export async function budgetVerdict(
  body: RequestBody,
  context: ChainContext,
  payer: Payer,
  keyName: string | null,
  deps: ChainDeps & { ledger: SpendLedger },
): Promise<{ refusal: GatewayError | null; fitnesses: Fitness[] }> {
  const fitnesses = await assessChain(body, context, deps)
  const hold = chainHold(fitnesses, body.promptTokens, context.snapshot)
  let refusal: Refusal | null
  try {
    refusal = await budgetRefusal(hold, payer, deps.ledger)
  } catch (error) {
    if (error instanceof GatewayError) return { refusal: error, fitnesses }
    throw error
  }
  if (refusal === null) return { refusal, fitnesses }
  const fitted = fittedTo(refusal, hold)
  if (fitted !== null) return { refusal: null, fitnesses: await assessChain(body, context, deps, fitted) }
  const { kind, id } = refusal.scope
  const name = kind === 'key' ? `key '${keyName}'` : `workspace '${id}'`
  return {
    refusal: limitError(
      refusal,
      hold,
      { name, workspace: payer.workspace.name },
      untoldTier(fitnesses),
      choicesOf(fitnesses),
    ),
    fitnesses,
  }
}

async function budgetRefusal(hold: ChainHold, payer: Payer, ledger: SpendLedger): Promise<Refusal | null> {
  const scopes: Scope[] = [
    { kind: 'key', id: payer.key.id },
    { kind: 'workspace', id: payer.workspace.name },
  ]
  const bound = scopes.filter(({ kind }) => payer[kind].limits?.budget?.mode === 'hard')
  if (bound.length === 0) return null
  const refusals = (await ledger.status(bound)).flatMap((status): Refusal[] => {
    const limits = payer[status.scope.kind].limits ?? {}
    const state = budgetState(status, limits)
    return state === null || fits(state, hold.picodollars, limits) ? [] : [{ kind: 'budget', ...state }]
  })
  return refusals.length === 0 ? null : tightest(refusals)
}

/** What the caller can name in place of an output limit: of one entry, because others have choices of their own. Null: nothing. */
export function choicesOf(fitnesses: readonly Fitness[]): readonly Choice[] | null {
  const all = fitnesses.flatMap((fitness) => (fitness.kind === 'usable' ? [fitness.candidate.bounds.choices] : []))
  return all.length === 1 ? (all[0] ?? null) : all.every((choices) => choices === undefined) ? null : []
}

/** Names an entry that is held for above all that is known of its price, and what ends that; null: there is none. */
export function untoldTier(fitnesses: readonly Fitness[]): string | null {
  for (const fitness of fitnesses) {
    if (fitness.kind !== 'usable') continue
    const { entry, heldPercent, expectedPercent } = fitness.candidate
    if (heldPercent <= expectedPercent) continue
    return (
      `'${entry.provider}' has not answered for ${entry.model} since the gateway started, and its account may have a ` +
      `dearer service tier or region: up to ${heldPercent} % of the list price are held until it does. If it has ` +
      'none, set its price_percent to 100.'
    )
  }
  return null
}

/** Names the entry that gets no output limit, and how to set one; null when all have one. */
export function limitAdvice(fitnesses: readonly Fitness[]): string | null {
  for (const fitness of fitnesses) {
    if (fitness.kind !== 'usable') continue
    const { entry, bounds, traits } = fitness.candidate
    if (bounds.outputTokens !== null) continue
    const length = traits.maxOutputTokens === null ? 'unknown' : `${traits.maxOutputTokens} tokens`
    return (
      `No output limit is sent to ${entry.provider}/${entry.model}, so the hold covers its longest answer (${length}). ` +
      'Send max_tokens, set max_output_tokens on the route entry, the key or the workspace, or, under a hard budget, when_tight: fit.'
    )
  }
  return null
}
