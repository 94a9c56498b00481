import { SEARCH_UNIT } from '../../../domain/pricing/unit-prices.ts'
import type { Vendor } from '../dialect/vendor.ts'
import { HINTS } from './hints.ts'

export const cohere: Vendor = {
  baseUrl: 'https://api.cohere.ai/compatibility/v1',
  source: 'docs.cohere.com/docs/compatibility-api, 2026-11-16',
  options: {
    drop_params: [...HINTS, 'modalities', 'parallel_tool_calls'],
    max_tokens_field: 'max_tokens',
    system_role: 'system',
    supports: { n: false },
  },
  reranks: {
    path: '/v2/rerank',
    without: /(?:\/compatibility)?\/v1$/,
    isStrict: true,
    unit: SEARCH_UNIT,
  },
  refuses: ['audio', 'functions', 'logit_bias', 'top_logprobs', 'web_search_options'],
}
