import { eachOf, type ValueScope } from '../domain/budgets/each.ts'
import { GatewayError } from '../domain/errors.ts'
import { asPicodollars, exactUsd } from '../domain/pricing/price.ts'
import type { Choice } from '../domain/request/bounds.ts'
import { wholeSeconds } from '../domain/retry-after.ts'
import { shellWord } from '../domain/wording/shell-word.ts'
import { named, worded } from '../domain/wording/worded.ts'
import type { BudgetState, Refusal } from './admission.ts'
import { type ChainHold, maxTokensThatFit, toolCallsThatFit } from './chain-hold.ts'
import { floorOf } from './fit-in.ts'
import { unknownCost } from './unknown-cost.ts'

type BudgetRefusal = Extract<Refusal, { kind: 'budget' }>
type RateRefusal = Exclude<Refusal, { kind: 'budget' }>

/** Whose limits refuse. */
export interface Limited {
  /** As people call it. */
  name: string
  workspace: string
}

/**
 * The refusal as an error, with figures both in the details and in the message. `because`: why the hold is larger than
 * the list price explains, as a sentence. `choices`: what the caller can name in place of an output limit.
 */
export function limitError(
  refusal: Refusal,
  hold: ChainHold,
  { name, workspace }: Limited,
  because: string | null = null,
  choices: readonly Choice[] | null = null,
): GatewayError {
  if (refusal.kind !== 'budget') return rateError(refusal, name)
  const limited = { name: limitedName(refusal, name), workspace }
  if (hold.picodollars === null) return unknownCost(refusal.scope, hold, limited.name)
  return budgetError(refusal, hold, hold.picodollars, limited, { because, choices })
}

function budgetError(
  refusal: BudgetRefusal,
  hold: ChainHold,
  most: bigint,
  { name, workspace }: Limited,
  { because, choices }: { because: string | null; choices: readonly Choice[] | null },
): GatewayError {
  const { scope, limit, spent, held, per, resetsAt } = refusal
  const fitting = maxTokensThatFit(hold, limit - spent - held)
  const toolCalls = toolCallsThatFit(hold, limit - spent - held)
  const { budget, value, counter } = refusal
  const floor = budget?.when_tight === 'fit' ? floorOf(budget) : null
  const details = {
    scope: scope.kind,
    scope_id: scope.id,
    limit_usd: exactUsd(limit),
    spent_usd: exactUsd(spent),
    held_usd: exactUsd(held),
    hold_usd: exactUsd(asPicodollars(most)),
    per,
    resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
    max_tokens_that_fits: fitting,
    ...(toolCalls !== null && { tool_calls_that_fit: toolCalls }),
    when_tight: budget?.when_tight ?? 'refuse',
    fit_at_least: floor,
    ...(counter !== undefined && counter.kind !== '' && { each: eachOf(counter) }),
    ...(value != null &&
      counter !== undefined && { value: counter.value, session: counter.kind === 'agent' ? counter.of : undefined }),
  }
  const cost = `This call may cost up to ${exactUsd(asPicodollars(most))} USD.${because === null ? '' : ` ${because}`}${toolCalls === null ? wayOut(fitting, floor, choices) : toolWay(toolCalls)}`
  return new GatewayError(
    'budget_exceeded',
    worded`The budget of ${named(name)} does not allow this call: ${named(budgetText(refusal))}. ${named(cost)} ${named(resetText(resetsAt))} ${named(raiseText(refusal, workspace))}`,
    { details },
  )
}

/** "session 7f3a of key 'app'": the value first, where the budget is of one. */
export function limitedName({ value }: Pick<BudgetState, 'value'>, name: string): string {
  return value == null ? name : `${value} of ${name}`
}

/** Short: the counters usually recover without help. */
const UNAVAILABLE_RETRY_SECONDS = 2

/** For a limit that cannot be checked now. `reason` is a sentence of ours. */
export function limitsUnavailable(reason: string): GatewayError {
  return new GatewayError('limits_unavailable', worded`${named(reason)}`, {
    retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
  })
}

/** "4.95 USD spent and 0.02 USD held of 5 USD per month" */
export function budgetText({ spent, held, limit, per }: BudgetState): string {
  const period = per === 'total' ? 'in total' : `per ${per}`
  return `${exactUsd(spent)} USD spent and ${exactUsd(held)} USD held of ${exactUsd(limit)} USD ${period}`
}

export function resetText(resetsAt: number | null): string {
  return resetsAt === null
    ? 'This budget does not reset.'
    : `It resets at ${new Date(resetsAt).toISOString().slice(0, 16).replace('T', ' ')} UTC.`
}

/** Agents show a refusal as it is: its last sentence says how the person in front of one goes on. */
function raiseText({ scope, value, counter }: BudgetRefusal, workspace: string): string {
  const key = counter?.keyId || (scope.kind === 'key' ? scope.id : '')
  const options = [
    ...(workspace === 'default' ? [] : [['workspace', workspace]]),
    ...(key === '' ? [] : [['key', key]]),
    ...(value != null && counter !== undefined ? valueOptions(counter) : []),
  ].map(([name = '', word = '']) => ` --${name} ${shellWord(word)}`)
  return `To go on, ask an operator to raise it (switchyard raises create${options.join('')} --usd AMOUNT --reason WHY), then send this again.`
}

function valueOptions(counter: ValueScope): string[][] {
  const session = counter.kind === 'agent' ? [['session', counter.of]] : []
  return [['each', eachOf(counter)], ['value', counter.value], ...session]
}

/** What the caller can change, and which setting does it automatically. `floor` is null where calls are not fitted. */
function wayOut(fitting: number | null, floor: number | null, choices: readonly Choice[] | null): string {
  if (choices !== null) {
    const choice = choices.find(({ outputTokens }) => fitting !== null && outputTokens <= fitting)
    return choice === undefined
      ? ' Ask for less: fewer images, smaller ones, or of a lower quality.'
      : ` It fits with ${choice.words}.`
  }
  if (fitting === null) return ' It does not fit with any output limit.'
  const would = ` It fits with max_tokens ${fitting} or lower`
  if (floor !== null) {
    return fitting < floor ? `${would}, but fit_at_least of this budget is ${floor}.` : `${would}.`
  }
  return (
    `${would}. To limit every call, set max_output_tokens on the workspace, the key or the route entry, ` +
    'or when_tight: fit on this budget.'
  )
}

/** The passes over the prompt that tools cause are most of such a hold. */
function toolWay(calls: number): string {
  return calls === 0
    ? ' Most of it is for tools of the provider, which read the whole prompt again: it fits without them.'
    : ` Most of it is for tools of the provider, which read the whole prompt again: it fits with ${calls} calls of them (max_tool_calls, max_uses) or fewer.`
}

const RATES = { rpm: 'requests per minute', tpm: 'tokens per minute', max_parallel: 'parallel calls' } as const

function rateError(refusal: RateRefusal, scopeName: string): GatewayError {
  const { kind, scope, limit, used, needed, waitMs } = refusal
  const details = { scope: scope.kind, scope_id: scope.id, kind, limit, used, needed }
  const what = worded`The limit of ${named(scopeName)} is ${limit} ${named(RATES[kind])}`
  if (waitMs === null) {
    const need =
      needed === null
        ? worded`the maximum use of this call is unknown`
        : worded`this call alone may use up to ${needed}`
    return new GatewayError('key_rate_limited', worded`${what}; ${need}. Send a smaller max_tokens.`, {
      details,
      isFinal: true,
    })
  }
  const retryAfterSeconds = Math.max(1, wholeSeconds(waitMs))
  const need = kind === 'tpm' ? worded`, and this call may use up to ${needed ?? 0}` : ''
  return new GatewayError(
    'key_rate_limited',
    worded`${what}; ${used} are in use${need}. Retry in ${retryAfterSeconds} seconds.`,
    { details, retryAfterSeconds },
  )
}
