import { type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import { type AnthropicModel, anthropicModel } from './models.ts'

/** What one model refuses although another takes it. An unlisted model refuses nothing. */
export function problemWithModel(body: JsonObject): string | null {
  const model = anthropicModel(String(body['model']))
  if (!model) return problemWithTrailingSpace(body)
  return (
    problemWithSampling(body, model) ??
    problemWithThinking(body, model) ??
    problemWithEffort(body, model) ??
    problemWithForcedTools(body, model) ??
    problemWithPrefill(body, model) ??
    problemWithLimit(body, model)
  )
}

function problemWithSampling(body: JsonObject, model: AnthropicModel): string | null {
  const { temperature, top_p: topP, top_k: topK } = body as { temperature?: number; top_p?: number; top_k?: number }
  switch (model.sampling) {
    case 'free':
      return null
    case 'one-of-two':
      return temperature !== undefined && topP !== undefined
        ? '`temperature` and `top_p` cannot both be specified for this model. Please use only one.'
        : null
    case 'defaults-only':
      if (temperature !== undefined && temperature !== 1) return '`temperature` is deprecated for this model.'
      if (topP !== undefined && topP < 0.99) return '`top_p` is deprecated for this model.'
      return topK === undefined ? null : '`top_k` is deprecated for this model.'
  }
}

function problemWithThinking(body: JsonObject, model: AnthropicModel): string | null {
  const thinking = objectOrEmpty(body['thinking'])
  const type = thinking['type']
  if (type === undefined) return null
  if (!(model.thinking as readonly unknown[]).includes(type)) {
    const rest =
      type === 'enabled' ? ' Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.' : ''
    return `"thinking.type.${type}" is not supported for this model.${rest}`
  }
  const effort = objectOrEmpty(body['output_config'])['effort']
  if (model.quietOnlyToHigh && type !== 'adaptive' && (effort === 'xhigh' || effort === 'max')) {
    return `"thinking.type.${type}" is not supported for this model at effort "${effort}".`
  }
  return type === 'enabled' ? problemWithBudget(body, Number(thinking['budget_tokens'])) : null
}

function problemWithBudget(body: JsonObject, budget: number): string | null {
  if (budget >= Number(body['max_tokens'])) return '`max_tokens` must be greater than `thinking.budget_tokens`.'
  if (body['temperature'] !== undefined && body['temperature'] !== 1) {
    return '`temperature` may only be set to 1 when thinking is enabled.'
  }
  return isForced(body) ? 'Thinking may not be enabled when tool_choice forces tool use.' : null
}

function problemWithEffort(body: JsonObject, model: AnthropicModel): string | null {
  const effort = objectOrEmpty(body['output_config'])['effort']
  if (effort === undefined || model.efforts.includes(String(effort))) return null
  return model.efforts.length === 0
    ? 'This model does not support the effort parameter.'
    : `output_config.effort: "${effort}" is not supported for this model. Supported levels: ${model.efforts.join(', ')}.`
}

function problemWithForcedTools(body: JsonObject, model: AnthropicModel): string | null {
  return !model.forcedTools && isForced(body)
    ? 'tool_choice: type "tool" and "any" are not supported for this model.'
    : null
}

function problemWithPrefill(body: JsonObject, model: AnthropicModel): string | null {
  const last = objectsIn(body['messages']).at(-1)
  if (last?.['role'] === 'assistant' && !model.prefill) {
    return 'This model does not support assistant message prefill. The conversation must end with a user message.'
  }
  return problemWithTrailingSpace(body)
}

function problemWithTrailingSpace(body: JsonObject): string | null {
  const last = objectsIn(body['messages']).at(-1)
  if (last?.['role'] !== 'assistant') return null
  const content = last['content']
  const text = typeof content === 'string' ? content : (objectsIn(content).at(-1)?.['text'] ?? '')
  return /\s$/.test(String(text)) ? 'messages: final assistant content cannot end with trailing whitespace' : null
}

function problemWithLimit(body: JsonObject, model: AnthropicModel): string | null {
  const limit = Number(body['max_tokens'])
  if (limit <= model.maxOutput) return null
  return `max_tokens: ${limit} > ${model.maxOutput}, which is the maximum allowed number of output tokens for ${model.id}`
}

function isForced(body: JsonObject): boolean {
  const type = objectOrEmpty(body['tool_choice'])['type']
  return type === 'any' || type === 'tool'
}
