import { shiftedDecimal } from '../../domain/pricing/lists/exact-decimal.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { picodollarsOfFloat, usdText } from './amounts.ts'
import { noteCallbacks } from './callbacks.ts'
import { isGiven } from './draft-row.ts'
import { approximate, exact, manual, type Notes, unsupported, type Verdict } from './notes.ts'
import { mapPeriod } from './periods.ts'
import { GENERAL, GENERAL_PREFIXES, LITELLM, REST, ROUTER, type Verdicts } from './settings-verdicts.ts'
import type { LitellmSource, SourceSection } from './source.ts'
import type { Variables } from './variables.ts'
import { currentValue, type Environment, numberOf, Reference, variableOf } from './written-value.ts'

export interface SettingsContext {
  notes: Notes
  variables: Variables
  environment: Environment
  /** Limits of the file then hold for all calls, as they do in LiteLLM. */
  isOnlyWorkspace: boolean
}

/** What settings outside the models and the router become. */
export interface MappedSettings {
  limits: JsonObject
  alerts: JsonObject
  /** Of every provider. */
  ca: Reference | null
  /** Null: no route stores answers. Else which modes do. */
  cache: { ttl_seconds: number; modes: ReadonlySet<string> } | null
}

/** Settings without code; those that are noted elsewhere already keep their finding. */
export function noteTables(source: LitellmSource, notes: Notes): void {
  const table = (
    section: SourceSection,
    verdicts: Verdicts,
    prefixes: readonly (readonly [RegExp, Verdict])[] = [],
  ) => {
    for (const key of Object.keys(section.values)) {
      const verdict = verdicts[key] ?? prefixes.find(([pattern]) => pattern.test(key))?.[1]
      if (verdict !== undefined) notes.add(section, key, verdict)
    }
  }
  table(source.router, ROUTER)
  table(source.litellm, LITELLM)
  table(source.general, GENERAL, GENERAL_PREFIXES)
  table(source.rest, REST)
}

export function mapSettings(source: LitellmSource, context: SettingsContext): MappedSettings {
  noteTables(source, context.notes)
  noteEnvironment(source, context)
  noteCallbacks(source.litellm, context)
  noteVariables(source.general, context)
  noteTime(source.litellm, context.notes)
  return {
    limits: { ...budgetOf(source.litellm, context), ...parallelOf(source.general, context) },
    alerts: alertsOf(source, context),
    ca: authorities(source.litellm, context),
    cache: cacheOf(source.litellm, context),
  }
}

function noteEnvironment({ environment: section }: LitellmSource, { notes, variables }: SettingsContext): void {
  for (const [name, value] of Object.entries(section.values)) {
    const variable = variableOf(value)
    if (variable === null) variables.set(name, String(value ?? ''), 'in environment_variables')
    else variables.advise(name, `the value of ${variable}`)
    notes.add(
      section,
      name,
      manual(variable === null ? `not copied: set ${name}` : `set ${name} to the value of ${variable}`),
    )
  }
}

/** Settings that are variables of the gateway here. */
function noteVariables(general: SourceSection, { notes, variables, environment }: SettingsContext): void {
  const megabytes = numberOf(currentValue(general.values['max_request_size_mb'], environment))
  if (megabytes !== null) {
    const bytes = Math.round(megabytes * 1024 * 1024)
    variables.advise('MAX_BODY_BYTES', `${bytes}, from max_request_size_mb`)
    notes.add(general, 'max_request_size_mb', exact(`MAX_BODY_BYTES=${bytes}`))
  }
  const period = general.values['maximum_spend_logs_retention_period']
  const [, count = '', unit = ''] = /^(\d+)([smhdw]|mo)$/.exec(String(period ?? '')) ?? []
  const days = { s: 1 / 86_400, m: 1 / 1440, h: 1 / 24, d: 1, w: 7, mo: 30 }[unit]
  if (days !== undefined) {
    const whole = Math.ceil(Number(count) * days)
    variables.advise('REQUEST_RETENTION_DAYS', `${whole}, from maximum_spend_logs_retention_period`)
    notes.add(
      general,
      'maximum_spend_logs_retention_period',
      approximate(`REQUEST_RETENTION_DAYS=${whole}`, 'whole days'),
    )
  }
}

function noteTime(litellm: SourceSection, notes: Notes): void {
  const { timezone, budget_reset_time: time } = litellm.values
  const usual = exact(null, 'the same here')
  const other = approximate(null, 'periods of budgets begin at midnight UTC here')
  if (isGiven(timezone)) notes.add(litellm, 'timezone', timezone === 'UTC' ? usual : other)
  if (isGiven(time)) notes.add(litellm, 'budget_reset_time', time === '00:00' ? usual : other)
}

function budgetOf(litellm: SourceSection, { notes, environment, isOnlyWorkspace }: SettingsContext): JsonObject {
  const amount = currentValue(litellm.values['max_budget'], environment)
  const usd = shiftedDecimal(amount, 0)
  const duration = litellm.values['budget_duration']
  if (usd === null || !/[1-9]/.test(usd)) {
    if (isGiven(amount)) notes.add(litellm, 'max_budget', exact(null, 'no budget'))
    if (isGiven(duration)) notes.add(litellm, 'budget_duration', exact(null, 'no budget'))
    return {}
  }
  if (!isOnlyWorkspace) {
    const verdict = unsupported('there is no budget for all workspaces together; set one on each', 'looser')
    for (const key of ['max_budget', 'budget_duration'])
      if (isGiven(litellm.values[key])) notes.add(litellm, key, verdict)
    return {}
  }
  const period = mapPeriod(isGiven(duration) ? String(duration) : null, null, 0)
  notes.add(
    litellm,
    'max_budget',
    approximate('budget of workspace default', 'hard; a call that does not fit gets a smaller output limit', 'tighter'),
  )
  if (period === null) {
    notes.add(litellm, 'budget_duration', manual('not a duration: set the budget yourself', 'looser'))
    return {}
  }
  const { per, share, ...verdict } = period
  if (isGiven(duration)) notes.add(litellm, 'budget_duration', { ...verdict, target: `per: ${per}` })
  const part = usdText(((picodollarsOfFloat(usd) ?? 0n) * share[0]) / share[1])
  return { budget: { usd: part, per, mode: 'hard', when_tight: 'fit' } }
}

function parallelOf(general: SourceSection, { notes, environment, isOnlyWorkspace }: SettingsContext): JsonObject {
  const key = 'global_max_parallel_requests'
  const most = numberOf(currentValue(general.values[key], environment))
  if (most === null) return {}
  notes.add(
    general,
    key,
    isOnlyWorkspace
      ? exact('max_parallel of workspace default')
      : unsupported('limits are for one workspace: set max_parallel on each', 'looser'),
  )
  return isOnlyWorkspace && most >= 1 ? { max_parallel: Math.floor(most) } : {}
}

const SLACK = 'SLACK_WEBHOOK_URL'

function alertsOf({ general, environment: section }: LitellmSource, { notes, variables }: SettingsContext): JsonObject {
  const { alerting } = general.values
  if (!isGiven(alerting)) return {}
  const hasSlack = Array.isArray(alerting) && alerting.includes('slack')
  if (!hasSlack) {
    notes.add(general, 'alerting', unsupported('make an alert channel, see docs/alerts.md'))
    return {}
  }
  if (!isGiven(section.values[SLACK])) variables.need(SLACK, 'address of the alert channel')
  notes.add(general, 'alerting', approximate('alert channel slack', 'the rules for alerts differ, see docs/alerts.md'))
  return { channels: { slack: { kind: 'slack', url: new Reference(SLACK) } } }
}

function authorities(litellm: SourceSection, { notes, variables }: SettingsContext): Reference | null {
  let ca: Reference | null = null
  for (const key of ['ssl_verify', 'ssl_certificate']) {
    const value = litellm.values[key]
    if (!isGiven(value)) continue
    if (value === true || value === 'true') notes.add(litellm, key, exact(null, 'certificates are always checked'))
    else if (typeof value !== 'string')
      notes.add(litellm, key, unsupported('certificates are always checked', 'tighter'))
    else {
      ca = new Reference('LITELLM_CA')
      variables.need('LITELLM_CA', `the content of the file that ${key} names`)
      notes.add(litellm, key, manual('set LITELLM_CA to the content of the file', 'same', 'ca of every provider'))
    }
  }
  return ca
}

const REDIS_TTL = 60
const MEMORY_TTL = 600
const LONGEST_TTL = 30 * 24 * 3600
const CALL_TYPES: Readonly<Record<string, string>> = {
  completion: 'chat',
  acompletion: 'chat',
  embedding: 'embedding',
  aembedding: 'embedding',
  aresponses: 'responses',
  responses: 'responses',
}

function cacheOf(litellm: SourceSection, { notes, variables, environment }: SettingsContext): MappedSettings['cache'] {
  const params = isJsonObject(litellm.values['cache_params']) ? litellm.values['cache_params'] : {}
  const type = String(currentValue(params['type'], environment) ?? 'redis')
  const isOn = litellm.values['cache'] === true
  const isSemantic = type.endsWith('-semantic')
  const isOff = params['mode'] === 'default_off'
  const isStored = isOn && !isSemantic && !isOff
  const note = (key: string, verdict: Verdict) => {
    if (isGiven(params[key])) notes.add(litellm, `cache_params.${key}`, verdict)
  }
  for (const key of Object.keys(params)) note(key, exact(null, isOn ? 'not needed here' : 'the cache is off'))
  if (isGiven(litellm.values['cache']))
    notes.add(litellm, 'cache', isStored ? CACHED : exact(null, 'no answers are stored'))
  note('type', cacheType(type))
  note(
    'mode',
    isOff ? manual('no route stores answers: switch the cache on where you want it') : exact(null, 'the same here'),
  )
  if (!isStored) return null
  if (type === 'redis')
    variables.advise('CACHE_REDIS_URL', 'the cache, as in LiteLLM; without it answers are kept in memory')
  const ttl = numberOf(currentValue(params['ttl'], environment)) ?? (type === 'local' ? MEMORY_TTL : REDIS_TTL)
  note('ttl', exact('ttl_seconds'))
  const types = params['supported_call_types']
  note('supported_call_types', exact('cache of the routes of that mode'))
  const modes = Array.isArray(types)
    ? types.flatMap((each) => CALL_TYPES[String(each)] ?? [])
    : Object.values(CALL_TYPES)
  return { ttl_seconds: Math.min(LONGEST_TTL, Math.max(1, Math.round(ttl))), modes: new Set(modes) }
}

const CACHED = approximate(
  'cache of every route',
  'LiteLLM shares answers between all keys and teams, also those with tools; here a workspace shares its own, without tools, for the same bytes',
  'tighter',
)

function cacheType(type: string): Verdict {
  if (type.endsWith('-semantic')) return unsupported('no answers are stored: a semantic cache answers other questions')
  if (type === 'local') return exact('in memory')
  if (type === 'redis') return exact('CACHE_REDIS_URL')
  return approximate('in memory', `there is no cache on ${type}`)
}
