import { LargeRequest } from '../bodies/large-bodies.ts'
import type { ChatRequest } from '../domain/chat.ts'
import type { Resolved } from '../domain/route.ts'
import type { BudgetState, HeldCall } from '../limits/admission.ts'
import { limitError, limitsUnavailable } from '../limits/errors.ts'
import { type Asked, fitIn, mayFit } from '../limits/fit-in.ts'
import { defaultLimitOf, hasHardBudget, payerOf, scopeName } from '../limits/payer.ts'
import type { Payer } from '../limits/spend-ledger.ts'
import type { OpenRecord } from '../request-log/record.ts'
import { newSituation, type Situation } from './chain/candidate.ts'
import { chainHold } from './chain/chain-hold.ts'
import type { Deps } from './deps.ts'
import type { Life } from './stages.ts'
import { translateLarge } from './translate-large.ts'

declare const admitted: unique symbol

/** Leave to call providers: only `admit` gives it, and the walk along the chain asks for it. */
export interface Admission {
  readonly [admitted]: true
  situation: Situation
  resolved: Resolved
  held: HeldCall
  /** Soft budgets that this call goes beyond. */
  warnings: BudgetState[]
}

/**
 * Sets aside the most that the call can cost and opens its row before anything is sent: from here on the log knows of
 * it, whatever kills the process. Where the ledger is in memory, the decision and the first word to the log happen in one
 * turn, so the rows that are open are the holds; shared counters keep the hold under the id of the row.
 */
export async function admit(request: ChatRequest, resolved: Resolved, life: Life, deps: Deps): Promise<Admission> {
  const payer = payerOf(life.key, life.snapshot)
  const defaultLimit = defaultLimitOf(payer)
  const bytes = life.source?.length ?? null
  const isStrict = hasHardBudget(payer)
  const situation = newSituation(request, resolved.chain, life.snapshot, { bytes, defaultLimit, isStrict })
  const large = life.source instanceof LargeRequest ? life.source : null
  const isFitted = mayFit(payer)
  if (large !== null) await translateLarge(large, situation, deps, !isFitted)
  let hold = chainHold(situation, deps, large?.opened.promptTokens)
  const asked = deps.ledger.admit(payer, hold, life.id)
  let decision = asked instanceof Promise ? await asked : asked
  if (decision.kind === 'refused' && isFitted) {
    ;({ hold, decision } = await fitted({ hold, decision }, situation, payer, life, deps))
  }
  if (decision.kind === 'refused') {
    const { refusal } = decision
    deps.metrics.limitRefusals.add(1, [refusal.scope.kind, refusal.kind])
    const { budget } = payer[refusal.scope.kind].limits ?? {}
    throw limitError(refusal, hold, { name: scopeName(refusal.scope, life.key), budget })
  }
  if (decision.kind === 'unavailable') throw limitsUnavailable(decision.reason)
  const { call: held, warnings } = decision
  const admission = { situation, resolved, held, warnings } as Admission
  life.startedAt = held.admittedAt
  try {
    deps.ledger.opened(held, await deps.requestLog.open(openRecord(request, admission, life)))
  } catch (error) {
    void deps.ledger.release(held)
    throw error
  }
  for (const { scope } of warnings) deps.metrics.budgetWarnings.add(1, [scope.kind])
  return admission
}

/** Once more, with the most that the hard budget which wants calls fitted can pay for. */
function fitted(first: Asked, situation: Situation, payer: Payer, life: Life, deps: Deps): Promise<Asked> {
  return fitIn(first, payer, async (limits) => {
    situation.fitted = limits
    situation.translations.clear()
    const { source } = life
    const large = source instanceof LargeRequest ? source : null
    if (large !== null) await translateLarge(large, situation, deps, false)
    const hold = chainHold(situation, deps, large?.opened.promptTokens)
    return { hold, decision: await deps.ledger.admit(payer, hold, life.id) }
  })
}

function openRecord(request: ChatRequest, admission: Admission, life: Life): OpenRecord {
  return {
    id: life.id,
    workspace: life.key.workspace,
    keyId: life.key.id,
    startedAt: life.startedAt,
    requestedModel: request.model,
    route: admission.resolved.alias,
    ...holdRecord(admission),
    idempotencyKey: life.idempotency?.idempotencyKey ?? null,
    bodyHash: life.idempotency?.bodyHash ?? null,
  }
}

export function holdRecord(admission: Admission | null): Pick<OpenRecord, 'holdPicodollars' | 'holdTokens'> {
  if (admission === null) return { holdPicodollars: null, holdTokens: null }
  const { picodollars, tokens } = admission.held.hold
  return { holdPicodollars: picodollars?.toString() ?? null, holdTokens: tokens ?? 0 }
}
