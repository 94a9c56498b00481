import type { Budget, Limits } from './limits-form.ts'

type Stated = NonNullable<Limits['budgets']>[number]

/** One more budget as form values; what the form does not show stays as it is. */
export interface MoreBudget {
  /** Of the list, for React. */
  id: number
  /** `''`: of the key or workspace itself; `tag` with a name. */
  each: string
  tag: string
  usd: string
  per: Budget['per']
  /** Hard with what happens when it gets tight, or soft. */
  does: 'refuse' | 'fit' | 'step_down' | 'soft'
  rest: Pick<Stated, 'fit_at_least' | 'step_down_to' | 'warn_at'>
}

export const EACH = [
  { value: 'session', label: 'Each session' },
  { value: 'agent', label: 'Each sub-agent' },
  { value: 'user', label: 'Each user' },
  { value: 'project', label: 'Each project' },
  { value: 'tag', label: 'Each value of a tag' },
  { value: '', label: 'All together' },
]

/** Of a workspace also: */
export const EACH_KEY = { value: 'key', label: 'Each key' }

export const DOES = [
  { value: 'refuse', label: 'Hard: refuse' },
  { value: 'fit', label: 'Hard: shorten the answer' },
  { value: 'step_down', label: 'Hard: step down' },
  { value: 'soft', label: 'Soft: warn' },
]

let ids = 0

export function newBudget(): MoreBudget {
  return { id: ++ids, each: 'session', tag: '', usd: '', per: 'total', does: 'refuse', rest: {} }
}

export function moreBudgetsForm(budgets: readonly Stated[] = []): MoreBudget[] {
  return budgets.map(({ each = '', usd, per, mode, when_tight: tight = 'refuse', ...rest }) => {
    const tag = each.startsWith('tag:') ? each.slice(4) : ''
    return { id: ++ids, each: tag === '' ? each : 'tag', tag, usd, per, does: mode === 'soft' ? 'soft' : tight, rest }
  })
}

export function moreBudgetsOf(form: readonly MoreBudget[]): Stated[] {
  return form.map(({ each, tag, usd, per, does, rest }) => {
    const { fit_at_least: floor, step_down_to: route, warn_at: warnAt } = rest
    return {
      ...(each !== '' && { each: each === 'tag' ? `tag:${tag.trim()}` : each }),
      ...{ usd, per, mode: does === 'soft' ? 'soft' : 'hard' },
      ...(does !== 'soft' && does !== 'refuse' && { when_tight: does }),
      ...(does === 'fit' && floor !== undefined && { fit_at_least: floor }),
      ...(does === 'step_down' && route !== undefined && { step_down_to: route }),
      ...(warnAt !== undefined && { warn_at: warnAt }),
    }
  })
}

export function isAmountText(text: string): boolean {
  return /^\d{1,9}(\.\d{1,12})?$/.test(text) && /[1-9]/.test(text)
}

/** What the gateway would refuse of them; null: nothing. */
export function moreBudgetsProblem(form: readonly MoreBudget[]): string | null {
  if (form.some(({ usd }) => !isAmountText(usd))) return 'Each needs an amount above 0, for example 2 or 0.50.'
  if (form.some(({ each, tag }) => each === 'tag' && tag.trim() === '')) return 'A tag needs its name.'
  const names = form.map(({ each, tag, per }) => `${each} ${tag} ${per}`)
  return new Set(names).size < names.length ? 'Two have the same value and period; state the lower one.' : null
}
