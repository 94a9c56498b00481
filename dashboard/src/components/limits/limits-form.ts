import type { Item } from '../../api/client.ts'
import {
  isAmountText,
  type MoreBudget,
  moreBudgetsForm,
  moreBudgetsOf,
  moreBudgetsProblem,
} from './more-budgets-form.ts'

export type Limits = NonNullable<Item<'workspaces.list'>['limits']>
export type Budget = NonNullable<Limits['budget']>

/** The limits as form values: text, empty for "no limit". Amounts stay text, so no digit is lost. */
export interface LimitsForm {
  rpm: string
  tpm: string
  max_parallel: string
  max_output_tokens: string
  budgetUsd: string
  per: Budget['per']
  mode: Budget['mode']
  whenTight: NonNullable<Budget['when_tight']>
  fit_at_least: string
  /** A route of the workspace; empty: the cheaper entries of the call's own. */
  stepDownTo: string
  /** Percent; empty: no warning. */
  warn_at: string
  budgets: MoreBudget[]
  /** Of a workspace; empty: the gateway's default. */
  unconfirmed: NonNullable<Limits['unconfirmed']> | ''
}

export const COUNTS = ['rpm', 'tpm', 'max_parallel', 'max_output_tokens'] as const
const LARGEST_COUNT = 1_000_000_000
/** What the gateway does where it is left out; a test holds it to the gateway's own. */
export const DEFAULT_FIT_AT_LEAST = 256

export function limitsForm(limits: Limits | null): LimitsForm {
  return {
    rpm: String(limits?.rpm ?? ''),
    tpm: String(limits?.tpm ?? ''),
    max_parallel: String(limits?.max_parallel ?? ''),
    max_output_tokens: String(limits?.max_output_tokens ?? ''),
    budgetUsd: limits?.budget?.usd ?? '',
    per: limits?.budget?.per ?? 'month',
    mode: limits?.budget?.mode ?? 'hard',
    whenTight: limits?.budget?.when_tight ?? 'refuse',
    fit_at_least: String(limits?.budget?.fit_at_least ?? ''),
    stepDownTo: limits?.budget?.step_down_to ?? '',
    warn_at: String(limits?.budget?.warn_at ?? ''),
    budgets: moreBudgetsForm(limits?.budgets),
    unconfirmed: limits?.unconfirmed ?? '',
  }
}

/** What is sent: null when nothing is limited. */
export function limitsOf(form: LimitsForm): Limits | null {
  const limits: Limits = {}
  for (const name of COUNTS) if (form[name] !== '') limits[name] = Number(form[name])
  if (form.budgetUsd !== '') {
    const { budgetUsd: usd, per, mode, fit_at_least: floor, stepDownTo: route, warn_at: warnAt } = form
    limits.budget = { usd, per, mode }
    if (isFitting(form))
      Object.assign(limits.budget, { when_tight: 'fit', ...(floor && { fit_at_least: Number(floor) }) })
    if (isSteppingDown(form))
      Object.assign(limits.budget, { when_tight: 'step_down', ...(route && { step_down_to: route }) })
    if (warnAt !== '') limits.budget.warn_at = Number(warnAt)
  }
  if (form.budgets.length > 0) limits.budgets = moreBudgetsOf(form.budgets)
  if (form.unconfirmed !== '') limits.unconfirmed = form.unconfirmed
  return Object.keys(limits).length === 0 ? null : limits
}

/** A soft budget refuses nothing, so there is nothing to fit. */
export function isFitting({ mode, whenTight }: LimitsForm): boolean {
  return mode === 'hard' && whenTight === 'fit'
}

export function isSteppingDown({ mode, whenTight }: LimitsForm): boolean {
  return mode === 'hard' && whenTight === 'step_down'
}

function isCountOrEmpty(text: string): boolean {
  const value = Number(text)
  return text === '' || (Number.isInteger(value) && value >= 1 && value <= LARGEST_COUNT)
}

const COUNT_PROBLEM = 'a whole number from 1 to 1,000,000,000; empty for no limit'

/** Seen before anything is sent, in the words that the gateway would use. */
export function limitsProblems(
  form: LimitsForm,
): Partial<Record<(typeof COUNTS)[number] | 'budget' | 'fit_at_least' | 'warn_at' | 'budgets', string>> {
  const problems: ReturnType<typeof limitsProblems> = {}
  for (const name of COUNTS) if (!isCountOrEmpty(form[name])) problems[name] = COUNT_PROBLEM
  if (isFitting(form) && !isCountOrEmpty(form.fit_at_least)) {
    problems.fit_at_least = `a whole number from 1 to 1,000,000,000; empty for ${DEFAULT_FIT_AT_LEAST}`
  }
  if (form.warn_at !== '' && !/^[1-9]\d?$/.test(form.warn_at)) problems.warn_at = 'from 1 to 99; empty for no warning'
  const more = moreBudgetsProblem(form.budgets)
  if (more !== null) problems.budgets = more
  const isAmount = isAmountText(form.budgetUsd)
  if (form.budgetUsd !== '' && !isAmount) problems.budget = 'an amount above 0, for example 50 or 0.25; empty for none'
  return problems
}

/** An amount as people type it: blanks, a dollar sign and thousands separators are not part of it. */
export function typedAmount(text: string): string {
  return text.replace(/[\s$,]/g, '')
}

/** What a budget does when it is used up. */
export const MODE_WORDS: Readonly<Record<Budget['mode'], string>> = {
  hard: 'The limit is never exceeded: the highest possible cost is reserved before a call is sent.',
  soft: 'Nothing is refused: calls beyond the limit get a warning header, and spending may exceed it.',
}

/** What becomes of a call whose most does not fit into what is left of a hard budget. */
export const TIGHT_WORDS: Readonly<Record<LimitsForm['whenTight'], string>> = {
  refuse: 'The call gets 402 before it is sent.',
  fit: 'The call is sent with the largest output limit that fits. The answer may be cut off; a header and the request log show it.',
  step_down: 'The call goes to the cheaper entries of its route that fit. A header and the request log show it.',
}

/** How much of what no provider has confirmed counts in the budgets of a workspace and its keys. */
export const UNCONFIRMED = [
  { value: 'bound', label: 'All that can be billed' },
  { value: 'estimate', label: 'The estimate' },
  { value: 'ignore', label: 'Nothing' },
]

/** When a budget resets. */
export const PER_WORDS: Readonly<Record<Budget['per'], string>> = {
  day: 'Resets every day at 00:00 UTC.',
  week: 'Resets every Monday at 00:00 UTC.',
  month: 'Resets on the 1st of the month at 00:00 UTC.',
  total: 'Never resets.',
}
