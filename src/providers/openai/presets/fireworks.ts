import { PLAIN_TEXT } from '../completions/completing.ts'
import type { Vendor } from '../dialect/vendor.ts'

/** Extra inputs are forbidden; usage comes in the last chunk without being asked for. */
export const fireworks: Vendor = {
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  source: 'docs.fireworks.ai/api-reference/post-chatcompletions, 2026-11-16',
  options: {
    drop_params: [
      'metadata',
      'modalities',
      'prompt_cache_retention',
      'safety_identifier',
      'service_tier',
      'store',
      'verbosity',
    ],
    max_tokens_field: 'max_tokens',
    stream_usage: 'never',
    reasoning_field: 'reasoning_content',
    system_role: 'system',
  },
  completes: PLAIN_TEXT,
  refuses: ['audio', 'web_search_options'],
}
