import type { JsonObject } from '../../json.ts'
import { contextExceeded, type OpenaiError } from '../errors.ts'
import { openaiModel } from '../models.ts'
import { readResponseAsk } from './ask.ts'
import { problemWithFields } from './field-rules.ts'
import { problemWithItems } from './item-rules.ts'
import { problemWithModel } from './model-rules.ts'
import { problemWithPairs } from './pair-rules.ts'
import { problemWithTextFormat, problemWithTools } from './tool-rules.ts'

/** The first thing the vendor would complain about, or null when the request is good. */
export function problemWithResponseRequest(body: JsonObject): OpenaiError | null {
  const items = Array.isArray(body['input']) ? body['input'] : []
  return (
    problemWithFields(body) ??
    problemWithItems(items) ??
    problemWithPairs(items, body) ??
    problemWithTools(body) ??
    problemWithTextFormat(body) ??
    problemWithModel(body) ??
    problemWithLength(body)
  )
}

function problemWithLength(body: JsonObject): OpenaiError | null {
  const model = openaiModel(String(body['model']))
  if (!model) return null
  const { promptTokens } = readResponseAsk(body)
  if (promptTokens <= model.window) return null
  return {
    ...contextExceeded(model.window, promptTokens),
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    param: 'input',
  }
}
