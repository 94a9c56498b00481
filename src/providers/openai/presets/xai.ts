import { tokenCount } from '../../../domain/pricing/usage.ts'
import { isJsonObject } from '../../../domain/request/call-request.ts'
import { refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { Vendor } from '../dialect/vendor.ts'

export const xai: Vendor = {
  baseUrl: 'https://api.x.ai/v1',
  source:
    'docs.x.ai (chat completions, reasoning, best practices); docs.cloud.google.com, Reasoning for Grok Models; 2026-11-16',
  options: {
    drop_params: [
      'metadata',
      'modalities',
      'prediction',
      'prompt_cache_retention',
      'safety_identifier',
      'store',
      'verbosity',
    ],
    reasoning_field: 'reasoning_content',
    system_role: 'system',
  },
  refuses: ['audio', 'functions'],
  draws: 'only',
  cacheKeyHeader: 'x-grok-conv-id',
  // Whether a limit counts reasoning is said nowhere, and it is billed.
  hasLooseLimits: true,
  request(body, { model, leaveOut }) {
    if (!isReasoning(model)) return
    if ((body['stop'] ?? null) !== null) refuse(worded`stop: not supported by the reasoning models of this provider`)
    leaveOut('presence_penalty')
    leaveOut('frequency_penalty')
    if (!takesEffort(model)) leaveOut('reasoning_effort')
  },
  /** Some models count their reasoning beside the completion, and only the total has both. */
  usage(usage) {
    const [prompt, completion] = [tokenCount(usage['prompt_tokens']), tokenCount(usage['completion_tokens'])]
    const details = usage['completion_tokens_details']
    const reasoning = isJsonObject(details) ? tokenCount(details['reasoning_tokens']) : 0
    const most = Math.max(completion, tokenCount(usage['total_tokens']) - prompt)
    const output = most < reasoning ? most + reasoning : most
    return output === completion ? usage : { ...usage, completion_tokens: output, total_tokens: prompt + output }
  },
}

function isReasoning(model: string): boolean {
  return /^grok-(3-mini|[4-9]|code|\d\d)/.test(model) && !model.includes('non-reasoning')
}

/** From 4.3 on, and the small one of the third series. */
function takesEffort(model: string): boolean {
  const [, major = '0', minor = '0'] = /^grok-(\d+)(?:\.(\d+))?(?=$|-)/.exec(model) ?? []
  return model.startsWith('grok-3-mini') || Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 3)
}
