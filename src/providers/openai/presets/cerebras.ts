import type { Vendor } from '../dialect/vendor.ts'
import { HINTS } from './hints.ts'

export const cerebras: Vendor = {
  baseUrl: 'https://api.cerebras.ai/v1',
  source: 'inference-docs.cerebras.ai/resources/openai, hexdocs.pm/req_llm/cerebras, 2026-11-16',
  options: {
    drop_params: [...HINTS, 'frequency_penalty', 'modalities', 'parallel_tool_calls', 'presence_penalty'],
    reasoning_field: 'reasoning',
    system_role: 'system',
    supports: { images: false, n: false },
  },
  refuses: ['audio', 'functions', 'logit_bias', 'web_search_options'],
}
