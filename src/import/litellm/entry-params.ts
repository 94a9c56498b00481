import type { JsonObject } from '../../domain/request/call-request.ts'
import { isGiven, isSecretName, type Params } from './draft-row.ts'
import { approximate, exact, manual, unsupported, type Verdict } from './notes.ts'
import { currentValue, numberOf, variableOf } from './written-value.ts'

const LONGEST_MS = 3_600_000
const MOST_RETRIES = 10

/**
 * A number that is needed now: of a variable what it holds. Null: absent or unreadable, and said. `instead`: what is done
 * with one that cannot be read.
 */
export function takeNumber(
  params: Pick<Params, 'values' | 'note' | 'environment'>,
  key: string,
  instead: string | null = null,
): number | null {
  const value = params.values[key]
  if (!isGiven(value)) return null
  const number = numberOf(currentValue(value, params.environment))
  if (number !== null) return number
  const variable = variableOf(value)
  const problem = variable === null ? 'is not a number' : `a number is needed now: set ${variable} and import again`
  params.note(key, manual(instead === null ? problem : `${problem}; ${instead}`))
  return null
}

type Reading = Pick<Params, 'values' | 'note' | 'environment'>

/** Seconds as milliseconds, at most an hour. */
export function takeSeconds(params: Reading, key: string, target: string, difference?: string): number | undefined {
  const seconds = takeNumber(params, key)
  if (seconds === null) return undefined
  const ms = Math.min(LONGEST_MS, Math.max(1, Math.round(seconds * 1000)))
  const isCapped = seconds * 1000 > LONGEST_MS
  const message = isCapped ? 'an hour is the longest here' : (difference ?? '')
  params.note(key, message === '' ? exact(target) : approximate(target, message, isCapped ? 'tighter' : 'same'))
  return ms
}

export const RETRIES =
  'LiteLLM makes so many attempts in a group, choosing a deployment each time; here a member is retried, then the next one is asked'

export function takeRetries(params: Reading, key: string): number | null {
  const retries = takeNumber(params, key)
  if (retries === null) return null
  params.note(key, approximate('retries', retries > MOST_RETRIES ? `${MOST_RETRIES} is the most here` : RETRIES))
  return Math.min(MOST_RETRIES, Math.max(0, Math.floor(retries)))
}

/** Fields of a request that LiteLLM adds where the caller left them out. */
const BODY_FIELDS: ReadonlySet<string> = new Set([
  ...[
    'temperature',
    'top_p',
    'top_k',
    'min_p',
    'n',
    'seed',
    'stop',
    'stop_sequences',
    'user',
    'logit_bias',
    'logprobs',
  ],
  ...['top_logprobs', 'presence_penalty', 'frequency_penalty', 'repetition_penalty', 'response_format', 'tool_choice'],
  ...['parallel_tool_calls', 'reasoning_effort', 'reasoning', 'thinking', 'service_tier', 'verbosity', 'modalities'],
  ...['prediction', 'audio', 'web_search_options', 'dimensions', 'encoding_format', 'input_type', 'safety_settings'],
  ...['truncation', 'store', 'metadata', 'include', 'prompt_cache_key', 'prompt_cache_retention', 'safety_identifier'],
])

/** `defaults` of the entry: the caller wins, as in LiteLLM. */
export function takeDefaults({ values, note, environment }: Reading): JsonObject | undefined {
  const defaults: JsonObject = {}
  const take = (field: string, value: unknown, key: string) => {
    if (NO_DEFAULT.has(field)) return note(key, manual(`${field} cannot have a default here: callers must send it`))
    if (hasSecret(field, value)) return note(key, manual('looks like a secret: not copied'))
    defaults[field] = variableOf(value) === null ? value : plainValue(currentValue(value, environment))
    if (defaults[field] === undefined) return note(key, manual(`set ${variableOf(value)} and import again`))
    note(key, exact(`defaults.${field}`))
  }
  for (const [key, value] of Object.entries(values)) {
    if (!isGiven(value)) continue
    if (BODY_FIELDS.has(key) || key === 'tools' || key === 'functions') take(key, value, key)
    if (key === 'extra_body' && typeof value === 'object' && value !== null) {
      for (const [field, item] of Object.entries(value)) take(field, item, `extra_body.${field}`)
    }
  }
  const known = Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined))
  return Object.keys(known).length === 0 ? undefined : known
}

/** A variable holds text; a request field may be a number. */
function plainValue(value: unknown): unknown {
  return numberOf(value) ?? (value === 'true' || value === 'false' ? value === 'true' : value)
}

/** Has a setting of its own, or is the caller's. */
const NO_DEFAULT: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'input', 'stream', 'tools', 'functions', 'max_tokens', 'max_completion_tokens'],
  'max_output_tokens',
])

/** Request fields about tokens and cache keys are none. */
const NO_SECRETS: ReadonlySet<string> = new Set(['prompt_cache_key', 'budget_tokens'])

function hasSecret(name: string, value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).some(([key, item]) => hasSecret(key, item))
  }
  return typeof value === 'string' && isSecretName(name) && !NO_SECRETS.has(name)
}

const NO_COUNTERPART = unsupported('has no counterpart')
const NOT_LIMITED = unsupported('the gateway does not limit calls of a deployment', 'looser')
const IDENTITY = manual('give the gateway its credentials another way, see docs/providers.md')

/** Settings of a deployment that need no code. */
export const PARAM_VERDICTS: Readonly<Record<string, Verdict>> = {
  custom_llm_provider: exact('provider'),
  litellm_credential_name: exact('provider'),
  allowed_openai_params: exact(null, 'fields that the gateway does not know are passed on anyway'),
  drop_params: approximate(
    null,
    'fields that are only hints are always left out, and named; what would change the answer is refused',
    'tighter',
  ),
  max_parallel_requests: NOT_LIMITED,
  itpm: NOT_LIMITED,
  otpm: NOT_LIMITED,
  default_api_key_tpm_limit: NOT_LIMITED,
  default_api_key_rpm_limit: NOT_LIMITED,
  max_budget: unsupported('deployments have no budgets here; set one on a key or workspace', 'looser'),
  budget_duration: unsupported('deployments have no budgets here', 'looser'),
  guardrails: unsupported(
    'has no counterpart; a workspace can have a guardrail hook, see docs/guardrails.md',
    'looser',
  ),
  tags: unsupported('calls are not routed by tags: make one alias for each tag'),
  tag_regex: unsupported('calls are not routed by tags: make one alias for each tag'),
  aws_profile_name: IDENTITY,
  aws_web_identity_token: IDENTITY,
  aws_sts_endpoint: IDENTITY,
  azure_ad_token: IDENTITY,
  azure_username: IDENTITY,
  azure_password: IDENTITY,
  ...Object.fromEntries(
    [
      ...['modify_params', 'merge_reasoning_content_in_choices', 'cache_control_injection_points', 'region_name'],
      ...['mock_response', 'configurable_clientside_auth_params', 'use_in_pass_through', 'cooldown_time'],
      ...['silent_model', 'stream', 'num_ctx', 'keep_alive'],
    ].map((key) => [key, NO_COUNTERPART]),
  ),
}
