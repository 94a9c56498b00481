import type { Item } from '../../api/client.ts'

export type Limits = NonNullable<Item<'keys.list'>['limits']>
export type Budget = NonNullable<Limits['budget']>

/** The limits as they stand in a form: text, empty for "no limit". Amounts stay text, so no digit is lost. */
export interface LimitsForm {
  rpm: string
  tpm: string
  max_parallel: string
  budgetUsd: string
  per: Budget['per']
  mode: Budget['mode']
}

export const COUNTS = ['rpm', 'tpm', 'max_parallel'] as const
const LARGEST_COUNT = 1_000_000_000

export function limitsForm(limits: Limits | null): LimitsForm {
  return {
    rpm: String(limits?.rpm ?? ''),
    tpm: String(limits?.tpm ?? ''),
    max_parallel: String(limits?.max_parallel ?? ''),
    budgetUsd: limits?.budget?.usd ?? '',
    per: limits?.budget?.per ?? 'month',
    mode: limits?.budget?.mode ?? 'hard',
  }
}

/** What is sent: null when nothing is limited. */
export function limitsOf(form: LimitsForm): Limits | null {
  const limits: Limits = {}
  for (const name of COUNTS) if (form[name] !== '') limits[name] = Number(form[name])
  if (form.budgetUsd !== '') limits.budget = { usd: form.budgetUsd, per: form.per, mode: form.mode }
  return Object.keys(limits).length === 0 ? null : limits
}

/** Seen before anything is sent, in the words that the gateway would use. */
export function limitsProblems(form: LimitsForm): Partial<Record<(typeof COUNTS)[number] | 'budget', string>> {
  const problems: ReturnType<typeof limitsProblems> = {}
  for (const name of COUNTS) {
    const value = Number(form[name])
    if (form[name] !== '' && !(Number.isInteger(value) && value >= 1 && value <= LARGEST_COUNT)) {
      problems[name] = 'a whole number from 1 to 1,000,000,000; empty for no limit'
    }
  }
  const isAmount = /^\d{1,9}(\.\d{1,12})?$/.test(form.budgetUsd) && /[1-9]/.test(form.budgetUsd)
  if (form.budgetUsd !== '' && !isAmount) problems.budget = 'an amount above 0, for example 50 or 0.25; empty for none'
  return problems
}

/** An amount as people type it: blanks, a dollar sign and thousands separators are not part of it. */
export function typedAmount(text: string): string {
  return text.replace(/[\s$,]/g, '')
}

/** What a budget does when it is used up. */
export const MODE_WORDS: Readonly<Record<Budget['mode'], string>> = {
  hard: 'A call that could cost more than what is left is refused with 402, before it is sent. The limit is never exceeded.',
  soft: 'Nothing is refused: calls beyond the limit are served with a warning header, and spending may exceed it.',
}

/** When a budget begins anew. */
export const PER_WORDS: Readonly<Record<Budget['per'], string>> = {
  day: 'Begins anew every day at 00:00 UTC.',
  week: 'Begins anew every Monday at 00:00 UTC.',
  month: 'Begins anew on the first of the month at 00:00 UTC.',
  total: 'Never begins anew.',
}
