import { isObject, type JsonObject, objectOrEmpty } from '../../json.ts'
import type { OpenaiError } from '../errors.ts'
import { emptyArray, type Kind, missing, problemWithKind, problemWithRange } from '../field-rules.ts'

/** Every top-level field of today's Responses API, with its type. */
const FIELDS: Record<string, Kind> = {
  access_programs: 'any',
  background: 'boolean',
  client_metadata: 'object',
  context_management: 'any',
  conversation: 'any',
  image: 'any',
  include: 'array',
  input: 'any',
  instructions: 'string',
  max_output_tokens: 'integer',
  max_tool_calls: 'integer',
  metadata: 'object',
  model: 'string',
  moderation: 'object',
  parallel_tool_calls: 'boolean',
  previous_response_id: 'string',
  prompt: 'object',
  prompt_cache_key: 'string',
  prompt_cache_options: 'object',
  prompt_cache_retention: 'string',
  reasoning: 'object',
  safety_identifier: 'string',
  service_tier: 'string',
  store: 'boolean',
  stream: 'boolean',
  stream_options: 'object',
  temperature: 'decimal',
  text: 'object',
  tool_choice: 'any',
  tools: 'array',
  top_logprobs: 'integer',
  top_p: 'decimal',
  truncation: 'string',
  user: 'string',
}

const RANGES: Record<string, [minimum: number, maximum: number]> = {
  max_output_tokens: [16, Number.POSITIVE_INFINITY],
  max_tool_calls: [1, Number.POSITIVE_INFINITY],
  temperature: [0, 2],
  top_logprobs: [0, 20],
  top_p: [0, 1],
}

/** Fields of chat completions that have another place here. */
const MOVED: Record<string, string> = {
  messages: 'input',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  verbosity: 'text.verbosity',
}

const INCLUDES: readonly unknown[] = [
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
  'file_search_call.results',
  'message.input_image.image_url',
  'message.output_text.logprobs',
  'reasoning.encrypted_content',
  'web_search_call.action.sources',
  'web_search_call.results',
]

export function problemWithFields(body: JsonObject): OpenaiError | null {
  const { model, input, prompt, include, stream, stream_options, truncation } = body
  if (model === undefined || model === null || model === '') return missing('model')
  for (const [name, value] of Object.entries(body)) {
    const problem = problemWithField(name, value, String(model))
    if (problem) return problem
  }
  if (input === undefined || input === null) {
    if (!isObject(prompt)) return missing('input')
  } else if (typeof input !== 'string' && !Array.isArray(input)) {
    return {
      message: "Invalid type for 'input': expected one of an array or string.",
      param: 'input',
      code: 'invalid_type',
    }
  } else if (input.length === 0 && Array.isArray(input)) return emptyArray('input')
  if (isObject(stream_options) && stream !== true) {
    return {
      message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      param: 'stream_options',
    }
  }
  for (const [index, entry] of (Array.isArray(include) ? include : []).entries()) {
    if (!INCLUDES.includes(entry)) return invalidValue(`include[${index}]`, entry, INCLUDES)
  }
  if (typeof truncation === 'string' && !['auto', 'disabled'].includes(truncation)) {
    return invalidValue('truncation', truncation, ['auto', 'disabled'])
  }
  return problemWithState(body)
}

function problemWithField(name: string, value: unknown, model: string): OpenaiError | null {
  const moved = Object.hasOwn(MOVED, name) ? MOVED[name] : undefined
  if (moved !== undefined) {
    const message = `Unsupported parameter: '${name}'. In the Responses API, this parameter has moved to '${moved}'. Try again with the new parameter.`
    return { message, code: 'unsupported_parameter' }
  }
  const kind = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
  if (kind === undefined) {
    // Scenarios take what compatible servers would take, so that a test can see unknown fields arrive.
    return model.includes('sim-') ? null : unknownParameter(name)
  }
  if (value === null) return null
  const [minimum, maximum] = RANGES[name] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  return problemWithKind(name, value, kind) ?? problemWithRange(name, value, kind, minimum, maximum)
}

/** Nothing is stored, but anything that looks like an id of the vendor counts as known. */
function problemWithState(body: JsonObject): OpenaiError | null {
  const previous = body['previous_response_id']
  if (typeof previous === 'string' && body['conversation']) {
    const message =
      "Mutually exclusive parameters. Ensure you are only providing one of: 'previous_response_id' or 'conversation'."
    return { message, code: 'mutually_exclusive_parameters' }
  }
  if (typeof previous === 'string' && !/^resp_[A-Za-z0-9]+$/.test(previous)) {
    const message = `Previous response with id '${previous}' not found.`
    return { message, param: 'previous_response_id', code: 'previous_response_not_found' }
  }
  const promptId = objectOrEmpty(body['prompt'])['id']
  return isObject(body['prompt']) && typeof promptId !== 'string' ? missing('prompt.id') : null
}

export function unknownParameter(path: string): OpenaiError {
  return { message: `Unknown parameter: '${path}'.`, param: path, code: 'unknown_parameter' }
}

export function invalidValue(path: string, value: unknown, known: readonly unknown[]): OpenaiError {
  const values = known.map((name) => `'${name}'`)
  const list = values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')}, and ${values.at(-1)}`
  return {
    message: `Invalid value: '${value}'. Supported values are: ${list}.`,
    param: path,
    code: 'invalid_value',
  }
}
