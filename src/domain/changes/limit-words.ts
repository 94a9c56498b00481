import { fieldsOf, isSame, isUnset, valueWords } from './value-words.ts'

/** What became of the limits of a key or a workspace. */
export function limitWords(before: unknown, after: unknown): string[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  return [
    ...budgetWords(fieldsOf(old['budget']), fieldsOf(now['budget'])),
    ...moreWords(listOf(old['budgets']), listOf(now['budgets'])),
    ...valueWords('Requests per minute', old['rpm'], now['rpm']),
    ...valueWords('Tokens per minute', old['tpm'], now['tpm']),
    ...valueWords('Concurrent requests', old['max_parallel'], now['max_parallel']),
    ...valueWords('Default output limit', old['max_output_tokens'], now['max_output_tokens'], { unit: 'tokens' }),
  ]
}

type Budget = Record<string, unknown>

function listOf(value: unknown): Budget[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

/** Budgets of the same value and period are one that was changed. */
function moreWords(before: readonly Budget[], after: readonly Budget[]): string[] {
  const nameOf = ({ each, per }: Budget) => `${each ?? 'Further'} ${per}`
  const names = [...new Set([...before, ...after].map(nameOf))]
  return names.flatMap((name) => {
    const [old = {}, now = {}] = [before, after].map((list) => list.find((budget) => nameOf(budget) === name))
    return budgetWords(old, now).map((words) => `${name}: ${words}`)
  })
}

function budgetWords(before: Budget, after: Budget): string[] {
  if (isSame(before, after)) return []
  if (isUnset(before)) return [`Budget set to ${amount(after)}`, ...modeWords({ mode: 'hard' }, after)]
  if (isUnset(after)) return [`Budget removed (was ${amount(before)})`]
  const isSamePeriod = before['per'] === after['per']
  return [
    ...(isSamePeriod
      ? valueWords('Budget', before['usd'], after['usd'], { unit: `USD ${PERIODS[String(after['per'])]}` })
      : [`Budget changed from ${amount(before)} to ${amount(after)}`]),
    ...modeWords(before, after),
  ]
}

function modeWords(before: Budget, after: Budget): string[] {
  const words: string[] = []
  if (before['mode'] !== after['mode']) {
    words.push(after['mode'] === 'soft' ? 'Budget only warns' : 'Calls over the budget are refused')
  }
  const tight = (budget: Budget) => TIGHT[String(budget['when_tight'])] ?? 'refused'
  if (tight(before) !== tight(after)) words.push(`Calls that might exceed what is left are ${tight(after)}`)
  return [
    ...words,
    ...valueWords('Shortest answer', before['fit_at_least'], after['fit_at_least'], { unit: 'tokens' }),
    ...valueWords('Steps down to', before['step_down_to'], after['step_down_to']),
    ...valueWords('Warns from', before['warn_at'], after['warn_at'], { unit: '%' }),
  ]
}

const TIGHT: Record<string, string> = { fit: 'shortened', step_down: 'sent to a cheaper entry' }
const PERIODS: Record<string, string> = { day: 'a day', week: 'a week', month: 'a month', total: 'in total' }

function amount({ usd, per }: Budget): string {
  return `${usd} USD ${PERIODS[String(per)] ?? `per ${per}`}`
}
