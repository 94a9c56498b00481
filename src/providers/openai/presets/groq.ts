import type { Vendor } from '../dialect/vendor.ts'

export const groq: Vendor = {
  baseUrl: 'https://api.groq.com/openai/v1',
  source: 'groq-sdk 1.6.0, console.groq.com/docs/openai and /docs/errors, 2026-11-16',
  options: {
    drop_params: [
      'modalities',
      'prediction',
      'prompt_cache_key',
      'prompt_cache_retention',
      'safety_identifier',
      'verbosity',
    ],
    reasoning_field: 'reasoning',
    system_role: 'system',
    supports: { logprobs: false, n: false },
  },
  transcribes: true,
  talks: true,
  refuses: ['audio', 'logit_bias', 'web_search_options'],
  // No `name`, and nothing that others give with an answer.
  messageFields: new Set(['role', 'content', 'tool_calls', 'tool_call_id', 'function_call', 'reasoning']),
  request(body) {
    // It would make the same of it.
    if (body['temperature'] === 0) body['temperature'] = 1e-8
    if (body['service_tier'] === 'default') body['service_tier'] = 'on_demand'
  },
}
