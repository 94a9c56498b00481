import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { Vendor } from '../dialect/vendor.ts'

/** Any unknown field is a 422, also in a message. */
export const mistral: Vendor = {
  baseUrl: 'https://api.mistral.ai/v1',
  source: '@mistralai/mistralai 2.7.0 (ChatCompletionRequest), docs.mistral.ai/api, 2026-11-16',
  options: {
    drop_params: [
      'prompt_cache_retention',
      'safety_identifier',
      'service_tier',
      'store',
      'user',
      'verbosity',
      'modalities',
    ],
    rename_params: { seed: 'random_seed', dimensions: 'output_dimension' },
    max_tokens_field: 'max_tokens',
    stream_usage: 'never',
    system_role: 'system',
    supports: { logprobs: false },
  },
  refuses: ['audio', 'function_call', 'functions', 'logit_bias', 'web_search_options'],
  moderates: 'texts',
  completes: {
    path: '/fim/completions',
    takesOneText: true,
    isChatShaped: true,
    refuses: ['n', 'best_of', 'echo', 'logprobs', 'logit_bias', 'presence_penalty', 'frequency_penalty'],
  },
  messageFields: new Set(['role', 'content', 'tool_calls', 'tool_call_id', 'prefix']),
  request(body) {
    if (body['tool_choice'] === 'required') body['tool_choice'] = 'any'
    const { messages } = body
    if (Array.isArray(messages)) body['messages'] = messages.map(withShortIds)
  },
  choice(choice) {
    const said = choice['message'] ?? choice['delta']
    if (!isJsonObject(said) || !Array.isArray(said['content'])) return false
    const { text, thoughts } = readParts(said['content'])
    const plain: JsonObject = { ...said, content: text }
    if (thoughts !== '') plain['reasoning_content'] = thoughts
    choice['message' in choice ? 'message' : 'delta'] = plain
    return true
  },
}

/** The older models take only ids of nine letters and digits; the same id becomes the same one everywhere. */
function withShortIds(message: JsonObject): JsonObject {
  const { tool_call_id: id, tool_calls: calls } = message
  const copy = { ...message }
  if (typeof id === 'string') copy['tool_call_id'] = shortId(id)
  if (Array.isArray(calls)) {
    copy['tool_calls'] = calls.map((call) =>
      isJsonObject(call) && typeof call['id'] === 'string' ? { ...call, id: shortId(call['id']) } : call,
    )
  }
  return copy
}

function shortId(id: string): string {
  if (/^[A-Za-z0-9]{9}$/.test(id)) return id
  return createHash('sha256').update(id).digest('hex').slice(0, 9)
}

function readParts(parts: readonly unknown[]): { text: string; thoughts: string } {
  let [text, thoughts] = ['', '']
  for (const part of parts) {
    if (!isJsonObject(part)) continue
    if (part['type'] === 'thinking' && Array.isArray(part['thinking']))
      thoughts += part['thinking'].map(textOf).join('')
    else text += textOf(part)
  }
  return { text, thoughts }
}

function textOf(part: unknown): string {
  return isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''
}
