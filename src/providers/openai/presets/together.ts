import { isCount } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { PLAIN_TEXT } from '../completions/completing.ts'
import type { Vendor } from '../dialect/vendor.ts'
import { PLAIN } from '../rerank/ranking.ts'
import { HINTS } from './hints.ts'

export const together: Vendor = {
  baseUrl: 'https://api.together.ai/v1',
  source: 'together-ai 0.52.0 (CompletionCreateParams), docs.together.ai, 2026-11-16',
  options: {
    drop_params: [...HINTS, 'modalities', 'parallel_tool_calls'],
    max_tokens_field: 'max_tokens',
    stream_usage: 'never',
    reasoning_field: 'reasoning_content',
    system_role: 'system',
  },
  reranks: PLAIN,
  draws: 'only',
  completes: PLAIN_TEXT,
  refuses: ['audio', 'functions', 'web_search_options'],
  request(body) {
    const { stop, logprobs, top_logprobs: top } = body
    if (typeof stop === 'string') body['stop'] = [stop]
    if (typeof logprobs === 'boolean') body['logprobs'] = logprobs ? Math.max(1, isCount(top) ? top : 1) : 0
    delete body['top_logprobs']
  },
  choice(choice) {
    const { logprobs, delta } = choice
    if (typeof logprobs === 'number') {
      const token = isJsonObject(delta) && typeof delta['content'] === 'string' ? delta['content'] : ''
      choice['logprobs'] = { content: [entry(token, logprobs)], refusal: null }
      return true
    }
    if (!isJsonObject(logprobs) || !Array.isArray(logprobs['tokens'])) return false
    const figures = Array.isArray(logprobs['token_logprobs']) ? logprobs['token_logprobs'] : []
    const content = logprobs['tokens'].map((token, at) => entry(String(token), figures[at]))
    choice['logprobs'] = { content, refusal: null }
    return true
  },
}

function entry(token: string, logprob: unknown): JsonObject {
  const figure = typeof logprob === 'number' ? logprob : 0
  return { token, logprob: figure, bytes: [...Buffer.from(token)], top_logprobs: [] }
}
