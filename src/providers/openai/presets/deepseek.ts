import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { Vendor } from '../dialect/vendor.ts'
import { HINTS } from './hints.ts'

/** Waits with empty lines before a whole answer, and with comments in a stream. */
export const deepseek: Vendor = {
  baseUrl: 'https://api.deepseek.com',
  source: 'api-docs.deepseek.com (create-chat-completion, thinking_mode, error_codes), 2026-11-16',
  options: {
    drop_params: [...HINTS, 'modalities', 'parallel_tool_calls', 'seed'],
    max_tokens_field: 'max_tokens',
    reasoning_field: 'reasoning_content',
    system_role: 'system',
    supports: { json_schema: false, images: false, n: false },
  },
  completes: {
    path: '/beta/completions',
    without: /\/(?:v1|beta)$/,
    takesOneText: true,
    refuses: ['n', 'best_of', 'logit_bias'],
  },
  refuses: ['audio', 'functions', 'logit_bias', 'web_search_options'],
  /** A turn that called a tool must hold its reasoning. Of another model's there is none: an empty one is taken. */
  request(body) {
    const { messages } = body
    if (!Array.isArray(messages)) return
    body['messages'] = messages.map((message: JsonObject) => {
      const isCall = message['role'] === 'assistant' && Array.isArray(message['tool_calls'])
      return isCall && typeof message['reasoning_content'] !== 'string'
        ? { ...message, reasoning_content: '' }
        : message
    })
  },
  usage(usage) {
    const { prompt_cache_hit_tokens: hits, prompt_tokens_details: details } = usage
    if (typeof hits !== 'number' || (isJsonObject(details) && details['cached_tokens'] !== undefined)) return usage
    return { ...usage, prompt_tokens_details: { ...(isJsonObject(details) ? details : {}), cached_tokens: hits } }
  },
}
