import { isSpeakable } from '../domain/provider.ts'
import type { Decision } from '../limits/admission.ts'
import { type ChainHold, holdOfTerms } from '../limits/chain-hold.ts'
import { limitError, limitsUnavailable } from '../limits/errors.ts'
import { mayFit, mayStepDown } from '../limits/fit-in.ts'
import { defaultLimitOf, hasHardBudget, payerOf, scopeName } from '../limits/payer.ts'
import { openText } from '../request-log/spool/record-lines.ts'
import { assessChain, type ChainContext, type Fitness, NOTHING_FITTED } from './chain/assess.ts'
import { chainHold } from './chain/chain-hold.ts'
import { makeFit } from './chain/make-fit.ts'
import type { Deps } from './deps.ts'
import { choicesOf, untoldTier } from './explain-budget.ts'
import { openRecord } from './open-record.ts'
import { type Admitted, advance, type Balanced, type Resolved } from './stages.ts'

/**
 * Holds the maximum cost of the call and opens its row before anything is sent: from here on the log has the call, even
 * if the process is killed. With the ledger in memory, decision and log write happen in one turn, so the open rows are
 * the holds; shared counters keep the hold under the row's id.
 */
export async function admit(resolved: Balanced, deps: Deps): Promise<Admitted> {
  const { body, endpoint, snapshot, id, receiver, key } = resolved
  const { chain, isInterchangeable, alias, refusesCompaction, marksPrompts } = resolved.resolved
  const asking = isSpeakable(endpoint.name) ? deps.spoken.findOut(endpoint, chain, snapshot) : null
  if (asking !== null) await outside(asking, resolved)
  const payer = payerOf(key, snapshot, resolved.attribution)
  const context: ChainContext = {
    endpoint,
    chain,
    isInterchangeable,
    refusesCompaction,
    marksPrompts,
    isDirect: alias === null,
    workspace: key.workspace,
    session: resolved.attribution.session,
    snapshot,
    isStrict: hasHardBudget(payer),
    defaultLimit: defaultLimitOf(payer),
    headers: () => receiver.headers(),
  }
  const isFinal = !mayFit(payer) && !mayStepDown(payer)
  const assessed = assessChain(body, context, deps, NOTHING_FITTED, isFinal)
  let fitnesses = assessed instanceof Promise ? await assessed : assessed
  const isStream = resolved.delivery !== null
  const holdFor = (chosen: typeof fitnesses, isHedged = false) =>
    endpoint.isFree === true
      ? holdOfTerms([], false, isStream)
      : chainHold(chosen, body.promptTokens, snapshot, isHedged, isStream)
  const isAlone = endpoint.asksOnce === true || endpoint.neverHedges === true
  let mayHedge = !isAlone && chain.some(({ hedgeAfterMs }) => hedgeAfterMs !== null)
  let hold = holdFor(fitnesses, mayHedge)
  const asked = deps.ledger.admit(payer, hold, id)
  let decision = asked instanceof Promise ? await asked : asked
  if (decision.kind === 'refused' && mayHedge) {
    // What is left does not suffice for two at once: one is asked after the other.
    mayHedge = false
    hold = holdFor(fitnesses)
    decision = await deps.ledger.admit(payer, hold, id)
  }
  if (decision.kind === 'refused') {
    const first = { fitnesses, hold, decision }
    ;({ fitnesses, hold, decision } = await makeFit(first, { body, context, payer, id, holdFor }, deps))
  }
  const admitted = advance<Admitted>(resolved)
  if (context.chain !== chain) admitted.resolved = { ...admitted.resolved, chain: context.chain }
  admitted.fitnesses = fitnesses
  admitted.mayHedge = mayHedge
  admitted.trying = null
  admitted.leg = null
  admitted.lost = null
  await opened(admitted, { decision, hold, fitnesses }, deps)
  if (admitted.delivery !== null) admitted.aspects = [...admitted.aspects, deps.streams.begin(admitted.delivery)]
  return admitted
}

/** Waits for a provider: time that is not the gateway's. */
async function outside(asking: Promise<unknown>, call: Balanced): Promise<void> {
  const began = performance.now()
  await asking
  call.externalMs += performance.now() - began
}

/** A call that asks no provider: its rate counts and its row is open, but nothing is held. */
export async function admitFree(resolved: Resolved, deps: Deps): Promise<Resolved & Entered> {
  const payer = payerOf(resolved.key, resolved.snapshot, resolved.attribution)
  const hold = holdOfTerms([], false, resolved.delivery !== null)
  const decision = await deps.ledger.admit(payer, hold, resolved.id)
  const entered = advance<Resolved & Entered>(resolved)
  await opened(entered, { decision, hold, fitnesses: [] }, deps)
  return entered
}

type Entered = Pick<Admitted, 'held' | 'warnings' | 'opening'>

interface Entering {
  decision: Decision
  hold: ChainHold
  fitnesses: readonly Fitness[]
}

/** Opens the row of a call within its limits; otherwise throws the caller's error. */
export function opened(
  call: Resolved & { -readonly [Field in keyof Entered]: Entered[Field] },
  { decision, hold, fitnesses }: Entering,
  deps: Deps,
): Promise<void> {
  if (decision.kind === 'refused') {
    const { refusal } = decision
    deps.metrics.limitRefusals.add(1, [refusal.scope.kind, refusal.kind])
    const limited = { name: scopeName(refusal.scope, call.key), workspace: call.key.workspace }
    throw limitError(refusal, hold, limited, untoldTier(fitnesses), choicesOf(fitnesses))
  }
  if (decision.kind === 'unavailable') throw limitsUnavailable(decision.reason)
  const { call: held, warnings } = decision
  call.startedAt = held.admittedAt
  const record = openRecord(call, held)
  const text = openText(record)
  return deps.requestLog.open(record, text).then(
    (position) => {
      deps.ledger.opened(held, position)
      for (const { scope } of warnings) deps.metrics.budgetWarnings.add(1, [scope.kind])
      call.opening = { record, text }
      call.held = held
      call.warnings = warnings
    },
    (error) => {
      void deps.ledger.release(held)
      throw error
    },
  )
}
