import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'

/** An answer of Converse as a message of the Messages API. Null: it is none. */
export function messageOf(body: unknown): JsonObject | null {
  const output = isJsonObject(body) ? body['output'] : null
  const message = isJsonObject(output) ? output['message'] : null
  if (!isJsonObject(body) || !isJsonObject(message) || !Array.isArray(message['content'])) return null
  return {
    content: message['content'].filter(isJsonObject).flatMap(blockOf),
    stop_reason: stopReason(body['stopReason']),
    usage: messageUsage(body['usage']),
  }
}

function blockOf({ text, toolUse, reasoningContent: reasoning, citationsContent: cited }: JsonObject): JsonObject[] {
  if (typeof text === 'string') return [{ type: 'text', text }]
  if (isJsonObject(toolUse)) {
    return [{ type: 'tool_use', id: toolUse['toolUseId'], name: toolUse['name'], input: toolUse['input'] }]
  }
  if (isJsonObject(reasoning)) return [thinkingBlock(reasoning)]
  const texts = isJsonObject(cited) && Array.isArray(cited['content']) ? cited['content'].filter(isJsonObject) : []
  return texts.map((each) => ({ type: 'text', text: each['text'] }))
}

function thinkingBlock({ reasoningText, redactedContent }: JsonObject): JsonObject {
  if (!isJsonObject(reasoningText)) return { type: 'redacted_thinking', data: redactedContent }
  return { type: 'thinking', thinking: reasoningText['text'], signature: reasoningText['signature'] }
}

const REFUSALS: readonly unknown[] = ['guardrail_intervened', 'content_filtered']

/** Most values are the same; unknown ones are reported as a warning. */
export function stopReason(reason: unknown): unknown {
  return REFUSALS.includes(reason) ? 'refusal' : reason
}

/** The model wrote something that is no answer. */
export function isMalformed(reason: unknown): boolean {
  return reason === 'malformed_model_output' || reason === 'malformed_tool_use'
}

/** Cached and written tokens are not part of the input tokens. */
export function messageUsage(usage: unknown): JsonObject | null {
  if (!isJsonObject(usage)) return null
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens, cacheDetails } = usage
  const details = Array.isArray(cacheDetails) ? cacheDetails.filter(isJsonObject) : []
  const written = (ttl: string) => details.find((detail) => detail['ttl'] === ttl)?.['inputTokens']
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_input_tokens: cacheReadInputTokens,
    cache_creation_input_tokens: cacheWriteInputTokens,
    cache_creation: { ephemeral_5m_input_tokens: written('5m'), ephemeral_1h_input_tokens: written('1h') },
  }
}

/** The tier that served, from an answer or the last event of a stream. */
export function tierOf({ serviceTier }: JsonObject): unknown {
  return isJsonObject(serviceTier) ? serviceTier['type'] : undefined
}
