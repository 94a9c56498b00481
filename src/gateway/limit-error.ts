import type { BudgetState, Refusal } from '../domain/admission.ts'
import { GatewayError } from '../domain/errors.ts'
import { asPicodollars, exactUsd } from '../domain/price.ts'
import { type ChainHold, maxTokensThatFit } from './chain-hold.ts'

type BudgetRefusal = Extract<Refusal, { kind: 'budget' }>
type RateRefusal = Exclude<Refusal, { kind: 'budget' }>

/** The refusal as an answer: figures for programs, the same in words for people. `scopeName` is how people call it. */
export function limitError(refusal: Refusal, hold: ChainHold, scopeName: string): GatewayError {
  return refusal.kind === 'budget' ? budgetError(refusal, hold, scopeName) : rateError(refusal, scopeName)
}

function budgetError(refusal: BudgetRefusal, hold: ChainHold, scopeName: string): GatewayError {
  const { scope, limit, spent, held, per, resetsAt } = refusal
  const fitting = hold.picodollars === null ? null : maxTokensThatFit(hold, limit - spent - held)
  const details = {
    scope: scope.kind,
    scope_id: scope.id,
    limit_usd: exactUsd(limit),
    spent_usd: exactUsd(spent),
    held_usd: exactUsd(held),
    hold_usd: hold.picodollars === null ? null : exactUsd(hold.picodollars),
    per,
    resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
    max_tokens_that_fits: fitting,
  }
  const advice = hold.picodollars === null ? unknownCost(hold) : tooDear(hold.picodollars, fitting)
  return new GatewayError(
    'budget_exceeded',
    `The budget of ${scopeName} does not allow this call: ${budgetText(refusal)}. ${advice} ${resetText(resetsAt)}`,
    { details },
  )
}

/** Soon asked again: counters that are away come back by themselves. */
const UNAVAILABLE_RETRY_SECONDS = 2

/** Not a limit that is reached, but one that nobody can check now. */
export function limitsUnavailable(reason: string): GatewayError {
  return new GatewayError('limits_unavailable', reason, { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS })
}

/** "4.95 USD spent and 0.02 USD held of 5 USD per month" */
export function budgetText({ spent, held, limit, per }: BudgetState): string {
  const period = per === 'total' ? 'in total' : `per ${per}`
  return `${exactUsd(spent)} USD spent and ${exactUsd(held)} USD held of ${exactUsd(limit)} USD ${period}`
}

export function resetText(resetsAt: number | null): string {
  return resetsAt === null ? 'This budget does not reset.' : `It resets at ${new Date(resetsAt).toISOString()}.`
}

function tooDear(hold: bigint, fitting: number | null): string {
  const most = `This call may cost up to ${exactUsd(asPicodollars(hold))} USD.`
  return fitting === null ? most : `${most} With a limit of ${fitting} or fewer output tokens it would fit.`
}

/** Under a hard budget nothing is sent whose price nobody can name. Says what to mend. */
function unknownCost({ terms }: ChainHold): string {
  const unknown = terms.find((each) => each.terms.prices === null || each.terms.outputTokens === null)
  if (unknown === undefined) return ''
  const { provider, model } = unknown.entry
  const place = `${provider}/${model}`
  if (unknown.terms.promptTokens === null) {
    return `Nobody can say how long the file in this request is: ${place} has no known context window.`
  }
  if (unknown.terms.prices !== null) {
    return `Nobody can say how long the answer of ${place} may get: send max_tokens, or set max_output_tokens in the registry.`
  }
  return (
    `The model ${place} has no known price, so nothing can be held for it. Price it: ` +
    `switchyard registry put ${place} --input-per-mtok … --output-per-mtok …, PUT /registry/${place}, ` +
    'or under "registry" in switchyard.yaml.'
  )
}

const RATES = { rpm: 'requests a minute', tpm: 'tokens a minute', max_parallel: 'calls at the same time' } as const

function rateError(refusal: RateRefusal, scopeName: string): GatewayError {
  const { kind, scope, limit, used, needed, waitMs } = refusal
  const details = { scope: scope.kind, scope_id: scope.id, kind, limit, used, needed }
  const what = `The limit of ${scopeName} is ${limit} ${RATES[kind]}`
  if (waitMs === null) {
    const need =
      needed === null ? 'nobody can say how many this call may use' : `this call alone may use up to ${needed}`
    return new GatewayError('key_rate_limited', `${what}; ${need}. Send a smaller max_tokens.`, { details })
  }
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  const need = kind === 'tpm' ? `, and this call may use up to ${needed}` : ''
  return new GatewayError(
    'key_rate_limited',
    `${what}; ${used} are in use${need}. Try again in ${retryAfterSeconds} seconds.`,
    { details, retryAfterSeconds },
  )
}
