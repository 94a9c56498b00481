import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { PLAIN_TEXT } from '../completions/completing.ts'
import type { Vendor } from '../dialect/vendor.ts'
import { PLAIN } from '../rerank/ranking.ts'

/** Servers of one's own: each has its own address, and most take no key. */

/** Cuts a prompt at `num_ctx` without a word (docs/providers.md). */
export const ollama: Vendor = {
  baseUrl: null,
  source: 'docs.ollama.com/api/openai-compatibility, 2026-11-16',
  options: {
    drop_params: ['user', 'tool_choice'],
    max_tokens_field: 'max_tokens',
    reasoning_field: 'reasoning',
    system_role: 'system',
    supports: { n: false },
  },
  refuses: ['audio', 'functions', 'logit_bias'],
  embedsTextOnly: true,
  completes: { ...PLAIN_TEXT, takesOneText: true, refuses: ['best_of', 'echo', 'logit_bias', 'n'] },
  request({ messages }) {
    if (Array.isArray(messages) && messages.some(hasLinkedImage))
      refuse(worded`image_url: this provider takes data URLs only`)
  },
}

/** Unknown fields are logged there, not refused. */
export const vllm: Vendor = {
  baseUrl: null,
  source: 'docs.vllm.ai/en/latest/serving/openai_compatible_server, 2026-11-16',
  options: { drop_params: ['user'], max_tokens_field: 'max_tokens', reasoning_field: 'reasoning' },
  reranks: PLAIN,
  completes: { ...PLAIN_TEXT, refuses: ['suffix'] },
  transcribes: true,
  refuses: ['audio', 'functions'],
}

/** Loads models when they are asked for: the first byte may take minutes. */
export const lmstudio: Vendor = {
  baseUrl: null,
  source: 'lmstudio.ai/docs/developer/openai-compat, 2026-11-16',
  options: {
    drop_params: ['user'],
    max_tokens_field: 'max_tokens',
    reasoning_field: 'reasoning_content',
    system_role: 'system',
    supports: { n: false },
  },
  completes: { ...PLAIN_TEXT, refuses: ['n', 'best_of'] },
  refuses: ['audio', 'functions'],
  request({ response_format: format }) {
    if (isJsonObject(format) && format['type'] === 'json_object') {
      refuse(worded`response_format: json_object is not supported by this provider; json_schema is`)
    }
  },
}

function hasLinkedImage({ content }: JsonObject): boolean {
  return Array.isArray(content) && content.some(isLinked)
}

function isLinked(part: unknown): boolean {
  const image = isJsonObject(part) ? part['image_url'] : null
  return isJsonObject(image) && typeof image['url'] === 'string' && !image['url'].startsWith('data:')
}
