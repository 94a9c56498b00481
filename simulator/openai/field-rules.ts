import { isObject, type JsonObject } from '../json.ts'
import type { OpenaiError } from './errors.ts'

export type Kind = 'array' | 'boolean' | 'decimal' | 'integer' | 'object' | 'string' | 'any'

/** Every top-level field of today's chat completions, with its type. */
const FIELDS: Record<string, Kind> = {
  messages: 'array',
  model: 'string',
  audio: 'object',
  frequency_penalty: 'decimal',
  function_call: 'any',
  functions: 'array',
  logit_bias: 'object',
  logprobs: 'boolean',
  max_completion_tokens: 'integer',
  max_tokens: 'integer',
  metadata: 'object',
  modalities: 'array',
  moderation: 'object',
  n: 'integer',
  parallel_tool_calls: 'boolean',
  prediction: 'object',
  presence_penalty: 'decimal',
  prompt_cache_key: 'string',
  prompt_cache_options: 'object',
  prompt_cache_retention: 'string',
  reasoning_effort: 'string',
  response_format: 'object',
  safety_identifier: 'string',
  seed: 'integer',
  service_tier: 'string',
  stop: 'any',
  store: 'boolean',
  stream: 'boolean',
  stream_options: 'object',
  temperature: 'decimal',
  tool_choice: 'any',
  tools: 'array',
  top_logprobs: 'integer',
  top_p: 'decimal',
  user: 'string',
  verbosity: 'string',
  web_search_options: 'object',
}

const RANGES: Record<string, [minimum: number, maximum: number]> = {
  frequency_penalty: [-2, 2],
  presence_penalty: [-2, 2],
  max_completion_tokens: [1, Number.POSITIVE_INFINITY],
  max_tokens: [1, Number.POSITIVE_INFINITY],
  n: [1, 128],
  temperature: [0, 2],
  top_logprobs: [0, 20],
  top_p: [0, 1],
}

export function problemWithFields(body: JsonObject): OpenaiError | null {
  if (body['model'] === undefined || body['model'] === null || body['model'] === '') {
    return { message: 'you must provide a model parameter' }
  }
  if (body['messages'] === undefined || body['messages'] === null) return missing('messages')
  for (const [name, value] of Object.entries(body)) {
    const problem = problemWithField(name, value, String(body['model']))
    if (problem) return problem
  }
  return problemWithStop(body['stop']) ?? problemWithCombination(body)
}

function problemWithField(name: string, value: unknown, model: string): OpenaiError | null {
  const kind = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
  if (kind === undefined) {
    // Scenarios take what compatible servers would take, so that a test can see unknown fields arrive.
    return model.includes('sim-') || name === 'cache_control'
      ? null
      : { message: `Unrecognized request argument supplied: ${name}` }
  }
  if (value === null) return null
  const problem = problemWithKind(name, value, kind)
  if (problem) return problem
  if (name === 'messages' && (value as unknown[]).length === 0) return emptyArray(name)
  if (name === 'tools' && (value as unknown[]).length === 0) return emptyArray(name)
  const [minimum, maximum] = RANGES[name] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  return problemWithRange(name, value, kind, minimum, maximum)
}

export function problemWithKind(path: string, value: unknown, kind: Kind): OpenaiError | null {
  return isOfKind(value, kind) ? null : wrongType(path, wordFor(kind), value)
}

export function problemWithRange(
  name: string,
  value: unknown,
  kind: Kind,
  minimum: number,
  maximum: number,
): OpenaiError | null {
  if (!isNumber(value) || (value >= minimum && value <= maximum)) return null
  const [side, sign, bound] = value < minimum ? ['below minimum', '>=', minimum] : ['above maximum', '<=', maximum]
  return {
    message: `Invalid '${name}': ${kind} ${side} value. Expected a value ${sign} ${bound}, but got ${value} instead.`,
    param: name,
    code: `${kind}_${value < minimum ? 'below_min' : 'above_max'}_value`,
  }
}

function problemWithStop(stop: unknown): OpenaiError | null {
  if (stop === undefined || stop === null || typeof stop === 'string') return null
  if (!Array.isArray(stop) || !stop.every((entry) => typeof entry === 'string')) {
    return wrongType('stop', 'one of a string or array of strings', stop)
  }
  if (stop.length <= 4) return null
  return {
    message: `Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length ${stop.length} instead.`,
    param: 'stop',
    code: 'array_above_max_length',
  }
}

function problemWithCombination(body: JsonObject): OpenaiError | null {
  if (isObject(body['stream_options']) && body['stream'] !== true) {
    return {
      message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      param: 'stream_options',
    }
  }
  if (isNumber(body['max_tokens']) && isNumber(body['max_completion_tokens'])) {
    return {
      message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      param: 'max_tokens',
      code: 'invalid_parameter_combination',
    }
  }
  if (isNumber(body['top_logprobs']) && body['logprobs'] !== true) {
    return { message: "'top_logprobs' is only allowed when 'logprobs' is set to true.", param: 'top_logprobs' }
  }
  return null
}

export function missing(path: string): OpenaiError {
  return { message: `Missing required parameter: '${path}'.`, param: path, code: 'missing_required_parameter' }
}

export function emptyArray(path: string): OpenaiError {
  return {
    message: `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    param: path,
    code: 'empty_array',
  }
}

export function wrongType(path: string, expected: string, value: unknown): OpenaiError {
  return {
    message: `Invalid type for '${path}': expected ${expected}, but got ${wordFor(kindOf(value))} instead.`,
    param: path,
    code: 'invalid_type',
  }
}

function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'any':
      return true
    case 'decimal':
      return isNumber(value)
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'boolean':
    case 'string':
      return typeof value === kind
  }
}

function kindOf(value: unknown): Kind | 'null' {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isNumber(value)) return Number.isInteger(value) ? 'integer' : 'decimal'
  return isObject(value) ? 'object' : typeof value === 'boolean' ? 'boolean' : 'string'
}

function wordFor(kind: Kind | 'null'): string {
  if (kind === 'null') return 'null'
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}
