import { type JsonObject, objectOrEmpty } from '../json.ts'
import { modelBeforeScenario } from '../scenarios.ts'
import type { OpenaiError } from './errors.ts'
import { type OpenaiModel, openaiModel } from './models.ts'

/** What one model refuses although another takes it. */
export function problemWithModel(body: JsonObject): OpenaiError | null {
  const id = modelBeforeScenario(String(body['model']))
  if (/-pro($|-)|codex|deep-research/.test(id)) {
    return notHere('This model is only supported in v1/responses and not in v1/chat/completions.')
  }
  if (id.startsWith('text-embedding')) {
    return notHere('This is not a chat model and thus not supported in the v1/chat/completions endpoint.')
  }
  const model = openaiModel(String(body['model']))
  if (!model) return null
  if (!model.efforts) return problemWithoutReasoning(body)
  return (
    problemWithLimit(body) ??
    problemWithEffort(body, model.efforts) ??
    problemWithSampling(body, model) ??
    problemWithStopWords(body, model) ??
    problemWithFunctionTools(body, model)
  )
}

function problemWithoutReasoning(body: JsonObject): OpenaiError | null {
  if (isAbsent(body['reasoning_effort'])) return null
  return { message: 'Unrecognized request argument supplied: reasoning_effort' }
}

function problemWithLimit(body: JsonObject): OpenaiError | null {
  if (isAbsent(body['max_tokens'])) return null
  return unsupportedParameter('max_tokens', " Use 'max_completion_tokens' instead.")
}

function problemWithEffort(body: JsonObject, efforts: readonly string[]): OpenaiError | null {
  const effort = body['reasoning_effort']
  if (isAbsent(effort) || efforts.includes(String(effort))) return null
  const values = efforts.map((name) => `'${name}'`).join(', ')
  return {
    message: `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model. Supported values are: ${values}.`,
    param: 'reasoning_effort',
    code: 'unsupported_value',
  }
}

/** Sampling fields and the value that changes nothing. */
const SAMPLING_DEFAULTS: readonly (readonly [string, unknown])[] = [
  ['temperature', 1],
  ['top_p', 1],
  ['frequency_penalty', 0],
  ['presence_penalty', 0],
  ['logprobs', false],
]

function problemWithSampling(body: JsonObject, model: OpenaiModel): OpenaiError | null {
  if (model.efforts?.includes('none') && body['reasoning_effort'] === 'none') return null
  for (const [name, standard] of SAMPLING_DEFAULTS) {
    const value = body[name]
    if (isAbsent(value) || value === standard) continue
    return {
      message: `Unsupported value: '${name}' does not support ${value} with this model. Only the default (${standard}) value is supported.`,
      param: name,
      code: 'unsupported_value',
    }
  }
  if (Object.keys(objectOrEmpty(body['logit_bias'])).length === 0) return null
  return { ...unsupportedParameter('logit_bias', ''), code: 'unsupported_value' }
}

function problemWithStopWords(body: JsonObject, model: OpenaiModel): OpenaiError | null {
  return /^o[34]/.test(model.id) && !isAbsent(body['stop']) ? unsupportedParameter('stop', '') : null
}

function problemWithFunctionTools(body: JsonObject, model: OpenaiModel): OpenaiError | null {
  if (isAbsent(body['tools']) && isAbsent(body['functions'])) return null
  const effort = body['reasoning_effort'] ?? null
  switch (model.tools) {
    case undefined:
      return null
    case 'never':
      return toolsRefused(`Function tools are not supported for ${model.id} in /v1/chat/completions.`)
    case 'effort-none':
      if (effort === 'none') return null
      break
    case 'effort-none-or-absent':
      if (effort === null || effort === 'none') return null
      break
  }
  return toolsRefused(
    `Function tools with reasoning_effort are not supported for ${model.id} in /v1/chat/completions. Please use /v1/responses instead.`,
  )
}

function toolsRefused(message: string): OpenaiError {
  return { message, param: 'reasoning_effort' }
}

function unsupportedParameter(name: string, hint: string): OpenaiError {
  return {
    message: `Unsupported parameter: '${name}' is not supported with this model.${hint}`,
    param: name,
    code: 'unsupported_parameter',
  }
}

function notHere(message: string): OpenaiError {
  return { status: 404, message, param: 'model' }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}
