import { isObject, type JsonObject, objectsIn } from '../json.ts'
import type { OpenaiError } from '../openai/errors.ts'
import { fields } from './field-lists.ts'
import type { Personality } from './personality.ts'

const mistral: Personality = {
  fields: fields(
    'random_seed',
    'metadata',
    'n',
    'prediction',
    'parallel_tool_calls',
    'reasoning_effort',
    'prompt_mode',
    'guardrails',
    'prompt_cache_key',
    'safe_prompt',
  ),
  messageFields: new Set(['role', 'content', 'tool_calls', 'tool_call_id', 'name', 'prefix']),
  problem(body) {
    const ids = objectsIn(body['messages']).flatMap((message) => [
      message['tool_call_id'],
      ...objectsIn(message['tool_calls']).map(({ id }) => id),
    ])
    const bad = ids.find((id) => typeof id === 'string' && !/^[a-zA-Z0-9]{9}$/.test(id))
    if (bad === undefined) return onlySystem(body)
    return { message: `Tool call id was ${bad} but must be a-z, A-Z, 0-9, with a length of 9.` }
  },
  error({ status = 400, message, param = null, code = null }) {
    if (code !== 'unknown_parameter')
      return { status, body: { object: 'error', message, type: 'invalid', param, code } }
    const detail = [{ type: 'extra_forbidden', loc: ['body', param], msg: 'Extra inputs are not permitted' }]
    return { status: 422, body: { detail } }
  },
  completion(completion) {
    for (const choice of objectsIn(completion['choices'])) {
      const { message } = choice
      if (isObject(message) && typeof message['content'] === 'string')
        message['content'] = thinkingList(message['content'])
      if (choice['finish_reason'] === 'length') choice['finish_reason'] = 'model_length'
    }
  },
  chunk(chunk) {
    for (const choice of objectsIn(chunk['choices'])) {
      const { delta } = choice
      // The first delta of an answer that thinks.
      if (isObject(delta) && delta['role'] === 'assistant' && delta['content'] === '')
        delta['content'] = thinkingList('')
      if (choice['finish_reason'] === 'length') choice['finish_reason'] = 'model_length'
    }
  },
  counts: 'at-the-end',
}

function thinkingList(text: string): JsonObject[] {
  return [
    { type: 'thinking', thinking: [{ type: 'text', text: 'let me see' }] },
    { type: 'text', text },
  ]
}

const groq: Personality = {
  messageFields: new Set(['role', 'content', 'tool_calls', 'tool_call_id', 'function_call', 'reasoning']),
  problem: (body) =>
    refused(body, ['logprobs', 'top_logprobs', 'logit_bias', 'verbosity', 'prompt_cache_key', 'safety_identifier']) ??
    (body['n'] !== undefined && body['n'] !== 1 ? { message: "'n' : number must be at most 1" } : null),
  completion: (completion) => void Object.assign(completion, { x_groq: { id: 'req_simulated' } }),
  counts: 'x_groq',
}

const together: Personality = {
  fields: fields(
    'logprobs',
    'seed',
    'n',
    'logit_bias',
    'reasoning_effort',
    'reasoning',
    'echo',
    'top_k',
    'min_p',
    'function_call',
  ),
  problem(body) {
    if (body['stop'] !== undefined && !Array.isArray(body['stop'])) return { message: 'stop: expected an array' }
    if (body['logprobs'] !== undefined && !Number.isInteger(body['logprobs'])) {
      return { message: 'logprobs: expected an integer' }
    }
    return null
  },
  error: ({ status = 400, message, code = null }) => ({
    status: code === 'unknown_parameter' ? 422 : status,
    body: { error: { message, type: 'invalid_request_error', code, param: null } },
  }),
  completion: (completion) => void endWith(completion, 'eos'),
  chunk: (chunk) => void endWith(chunk, 'eos'),
  counts: 'at-the-end',
}

/** Its own word for an answer that is complete. */
function endWith(answer: JsonObject, word: string): void {
  for (const choice of objectsIn(answer['choices']))
    if (choice['finish_reason'] === 'stop') choice['finish_reason'] = word
}

const fireworks: Personality = {
  fields: fields(
    'user',
    'n',
    'seed',
    'logprobs',
    'top_logprobs',
    'logit_bias',
    'reasoning_effort',
    'prompt_cache_key',
    'prediction',
    'parallel_tool_calls',
  ),
  counts: 'at-the-end',
}

const deepseek: Personality = {
  problem(body) {
    const bare = objectsIn(body['messages']).findIndex(
      (message) => Array.isArray(message['tool_calls']) && typeof message['reasoning_content'] !== 'string',
    )
    if (bare >= 0) return { message: 'The `reasoning_content` in the thinking mode must be passed back to the API.' }
    const format = body['response_format']
    if (isObject(format) && format['type'] === 'json_schema')
      return { message: 'This response_format type is unavailable now' }
    return onlySystem(body)
  },
  completion(completion) {
    const { usage } = completion
    if (!isObject(usage)) return
    completion['usage'] = {
      ...usage,
      prompt_tokens_details: undefined,
      prompt_cache_hit_tokens: 2,
      prompt_cache_miss_tokens: Number(usage['prompt_tokens']) - 2,
    }
  },
  counts: 'asked',
  comment: 'keep-alive',
  preamble: '\n\n\n\n',
}

const xai: Personality = {
  problem: (body) =>
    refused(
      body,
      ['presence_penalty', 'frequency_penalty', 'stop', 'reasoning_effort'],
      'Argument not supported on this model: ',
    ),
  /** Reasoning is counted beside the completion. */
  completion(completion) {
    const { usage } = completion
    if (!isObject(usage)) return
    const total = Number(usage['total_tokens']) + 100
    completion['usage'] = { ...usage, total_tokens: total, completion_tokens_details: { reasoning_tokens: 100 } }
  },
  error: ({ status = 400, message }) => ({
    status,
    body: { code: 'Client specified an invalid argument', error: message },
  }),
  counts: 'at-the-end',
}

const openrouter: Personality = {
  error: ({ status = 400, message }) => ({ status, body: { error: { code: status, message, metadata: {} } } }),
  completion: (completion) => void Object.assign(completion['usage'] as object, { cost: 0.00014 }),
  counts: 'at-the-end',
  comment: 'OPENROUTER PROCESSING',
}

const cohere: Personality = {
  fields: fields('seed', 'logprobs', 'reasoning_effort', 'stream_options'),
  error: ({ status = 400, message }) => ({ status: status === 400 ? 422 : status, body: { id: 'x', message } }),
  counts: 'asked',
}

const cerebras: Personality = {
  problem: (body) =>
    refused(body, ['frequency_penalty', 'presence_penalty', 'logit_bias', 'parallel_tool_calls', 'service_tier']),
  counts: 'asked',
}

const ollama: Personality = {
  completion(completion) {
    for (const { message } of objectsIn(completion['choices'])) if (isObject(message)) message['reasoning'] = 'hm'
  },
  counts: 'asked',
}

const vllm: Personality = {
  error: ({ status = 400, message }) => ({
    status,
    body: { object: 'error', message, type: 'BadRequestError', param: null, code: status },
  }),
  counts: 'asked',
}

const lmstudio: Personality = {
  problem({ response_format: format }) {
    if (!isObject(format) || format['type'] !== 'json_object') return null
    return { message: "'response_format.type' must be 'json_schema' or 'text'" }
  },
  error: ({ status = 400, message }) => ({ status, body: { error: message } }),
  counts: 'asked',
}

export const PERSONALITIES = {
  mistral,
  groq,
  together,
  fireworks,
  deepseek,
  xai,
  openrouter,
  cohere,
  cerebras,
  ollama,
  vllm,
  lmstudio,
}
export type VendorName = keyof typeof PERSONALITIES

function refused(body: JsonObject, names: readonly string[], words = 'property is unsupported: '): OpenaiError | null {
  const found = names.find((name) => body[name] !== undefined && body[name] !== null)
  return found === undefined ? null : { message: `${words}${found}` }
}

function onlySystem(body: JsonObject): OpenaiError | null {
  const isNewer = objectsIn(body['messages']).some(({ role }) => role === 'developer')
  return isNewer ? { message: "role: 'developer' is not one of 'system', 'user', 'assistant', 'tool'" } : null
}
