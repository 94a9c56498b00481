import type { Limits } from '../domain/limits.ts'
import { type LitellmKeyFacts, litellmFacts } from '../domain/litellm/facts.ts'
import type { JsonObject } from '../domain/request/call-request.ts'
import { expiryOf, periodOf } from './durations.ts'
import { wrongField } from './errors.ts'
import type { KeyFields, LimitFields } from './fields.ts'

/** The rates of a request, and what we call them. */
const RATES = [
  ['rpm_limit', 'rpm'],
  ['tpm_limit', 'tpm'],
  ['max_parallel_requests', 'max_parallel'],
] as const

/** The limits after a request: what it names changes, null removes, everything else stays. */
export function limitsAfter(fields: LimitFields, present: Limits | null): Limits | null {
  const limits: Limits = { ...present }
  for (const [field, name] of RATES) {
    const value = fields[field]
    if (value === null) delete limits[name]
    else if (value !== undefined) limits[name] = value
  }
  const budget = budgetAfter(fields, present?.budget)
  if (budget === undefined) delete limits.budget
  else limits.budget = budget
  return Object.keys(limits).length === 0 ? null : limits
}

/**
 * `max_budget` refuses, `soft_budget` alone warns. LiteLLM serves a call while anything is left of the budget: `fit` is
 * the nearest to that, and never spends more.
 */
function budgetAfter(fields: LimitFields, present: Limits['budget']): Limits['budget'] {
  const { max_budget, soft_budget, budget_duration } = fields
  const of = (mode: 'hard' | 'soft') => (present?.mode === mode ? present.usd : null)
  const per = budget_duration === undefined ? (present?.per ?? 'total') : periodOf(budget_duration)
  const hard = max_budget === undefined ? of('hard') : max_budget
  if (hard !== null) {
    const { when_tight = 'fit', fit_at_least } = present?.mode === 'hard' ? present : {}
    return { usd: hard, per, mode: 'hard', when_tight, ...(fit_at_least === undefined ? {} : { fit_at_least }) }
  }
  const soft = soft_budget === undefined ? of('soft') : soft_budget
  return soft === null ? undefined : { usd: soft, per, mode: 'soft' }
}

/** LiteLLM's names for every model that the team may use, which is every model of the workspace. */
const ALL_MODELS = ['*', 'all-proxy-models', 'all-team-models']

function allowedModels(models: readonly string[]): string[] | null {
  if (models.includes('no-default-models')) {
    throw wrongField('models', "'no-default-models' allows none. Block the key instead.")
  }
  return models.length === 0 || models.some((name) => ALL_MODELS.includes(name)) ? null : [...models]
}

/** Fields that are kept as they were written. */
const KEPT = ['user_id', 'key_alias', 'metadata', 'tags', 'budget_duration', 'soft_budget'] as const

export function factsAfter(fields: KeyFields, present: LitellmKeyFacts): LitellmKeyFacts {
  const facts: JsonObject = { ...present }
  for (const name of KEPT) {
    const value = fields[name]
    if (value === null || value === '') delete facts[name]
    else if (value !== undefined) facts[name] = value
  }
  if (fields.models !== undefined) {
    const models = fields.models ?? []
    delete facts['models']
    if (models.length > 0 && allowedModels(models) === null) facts['models'] = models
  }
  return facts
}

interface Present {
  limits: Limits | null
  note: JsonObject | null
}

const NOTHING: Present = { limits: null, note: null }

/** The settings of a key in the words of our own API; only those that the request names. */
export function keySettings(fields: KeyFields, now: number, present: Present = NOTHING) {
  const { duration, models, key_type } = fields
  if (!['default', 'llm_api', '', null, undefined].includes(key_type)) {
    throw wrongField('key_type', `'${key_type}' is not offered: create an admin key instead.`)
  }
  const note = factsAfter(fields, litellmFacts(present.note))
  return {
    limits: limitsAfter(fields, present.limits),
    note: Object.keys(note).length === 0 ? null : note,
    ...(duration === undefined ? {} : { expires_at: expiryOf(duration, now) }),
    ...(models === undefined ? {} : { allowed_models: allowedModels(models ?? []) }),
  }
}

/** A name that our own API takes, as near to the alias as possible. */
export function nameOf(alias: string, fallback: string): string {
  const slug = alias
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
  return slug === '' ? fallback : slug
}
