import type { JsonObject } from '../json.ts'
import { readCompletionAsk } from './completion.ts'
import { contextExceeded, type OpenaiError } from './errors.ts'
import { problemWithFields } from './field-rules.ts'
import { problemWithMessages } from './message-rules.ts'
import { problemWithModel } from './model-rules.ts'
import { openaiModel } from './models.ts'
import { problemWithFormat, problemWithTools } from './tool-rules.ts'

/** The first thing the vendor would complain about, or null when the request is good. */
export function problemWithRequest(body: JsonObject): OpenaiError | null {
  return (
    problemWithFields(body) ??
    problemWithExtensions(body, '') ??
    problemWithMessages(body['messages'] as unknown[]) ??
    problemWithTools(body) ??
    problemWithFormat(body) ??
    problemWithModel(body) ??
    problemWithLength(body)
  )
}

/** Fields a gateway may accept from its callers but must take out before it calls this vendor. */
const GATEWAY_EXTENSIONS = ['cache_control', 'is_error']
/** Their content belongs to the caller, who may name a property anything. */
const CALLER_DATA = new Set(['parameters', 'schema', 'metadata', 'logit_bias'])

function problemWithExtensions(value: unknown, path: string): OpenaiError | null {
  if (typeof value !== 'object' || value === null) return null
  for (const [key, child] of Object.entries(value)) {
    const childPath = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
    if (GATEWAY_EXTENSIONS.includes(key)) {
      return { message: `Unknown parameter: '${childPath}'.`, param: childPath, code: 'unknown_parameter' }
    }
    const problem = CALLER_DATA.has(key) ? null : problemWithExtensions(child, childPath)
    if (problem) return problem
  }
  return null
}

function problemWithLength(body: JsonObject): OpenaiError | null {
  const model = openaiModel(String(body['model']))
  if (!model) return null
  const { promptTokens, maxTokens } = readCompletionAsk(body)
  if (promptTokens > model.window) return contextExceeded(model.window, promptTokens)
  if (maxTokens === null || maxTokens <= model.maxOutput) return null
  const param = body['max_completion_tokens'] === undefined ? 'max_tokens' : 'max_completion_tokens'
  return {
    message: `max_tokens is too large: ${maxTokens}. This model supports at most ${model.maxOutput} completion tokens, whereas you provided ${maxTokens}.`,
    param,
    code: 'invalid_value',
  }
}
