import { fieldsOf, isSame, isUnset, valueWords } from './value-words.ts'

/** What became of the limits of a key or a workspace. */
export function limitWords(before: unknown, after: unknown): string[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  return [
    ...budgetWords(fieldsOf(old['budget']), fieldsOf(now['budget'])),
    ...valueWords('Requests per minute', old['rpm'], now['rpm']),
    ...valueWords('Tokens per minute', old['tpm'], now['tpm']),
    ...valueWords('Concurrent requests', old['max_parallel'], now['max_parallel']),
    ...valueWords('Default output limit', old['max_output_tokens'], now['max_output_tokens'], { unit: 'tokens' }),
  ]
}

type Budget = Record<string, unknown>

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
  const isFit = (budget: Budget) => budget['when_tight'] === 'fit'
  if (isFit(before) !== isFit(after)) {
    words.push(`Calls that might exceed what is left are ${isFit(after) ? 'shortened' : 'refused'}`)
  }
  return [...words, ...valueWords('Shortest answer', before['fit_at_least'], after['fit_at_least'], { unit: 'tokens' })]
}

const PERIODS: Record<string, string> = { day: 'a day', week: 'a week', month: 'a month', total: 'in total' }

function amount({ usd, per }: Budget): string {
  return `${usd} USD ${PERIODS[String(per)] ?? `per ${per}`}`
}
