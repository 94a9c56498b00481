import { lastUserText, textOf } from '../call-log.ts'
import { type JsonObject, objectOrEmpty, objectsIn, stringOrNull } from '../json.ts'
import { newId } from '../random.ts'
import type { Ask, PlannedReply, ToolChoice } from '../reply.ts'
import type { Account } from '../stage.ts'
import { countPromptTokens } from '../tokens.ts'
import { anthropicModel } from './models.ts'

/** Enough to eat a small `max_tokens` whole, as thinking does at the vendor. */
const THINKING_TOKENS = 16

export function readMessageAsk(body: JsonObject): Ask {
  const messages = objectsIn(body['messages'])
  const results = objectsIn(messages.at(-1)?.['content']).filter((block) => block['type'] === 'tool_result')
  const choice = objectOrEmpty(body['tool_choice'])
  const format = objectOrEmpty(objectOrEmpty(body['output_config'])['format'])
  const model = stringOrNull(body['model']) ?? ''
  return {
    model,
    lastUserText: lastUserText(messages),
    toolResult: results.length > 0 ? results.map((result) => textOf(result['content'])).join(', ') : null,
    toolResults: messages
      .flatMap(({ content }) => objectsIn(content))
      .filter((block) => block['type'] === 'tool_result').length,
    tools: objectsIn(body['tools']).map((tool) => ({
      name: stringOrNull(tool['name']) ?? '',
      schema: objectOrEmpty(tool['input_schema']),
    })),
    toolChoice: readToolChoice(choice),
    parallelTools: choice['disable_parallel_tool_use'] !== true,
    schema: format['type'] === 'json_schema' ? objectOrEmpty(format['schema']) : null,
    anyJson: false,
    maxTokens: typeof body['max_tokens'] === 'number' ? body['max_tokens'] : null,
    mostSearches: mostSearches(body),
    promptTokens: countPromptTokens(body['messages'], body['system'], body['tools']),
    thinkingTokens: thinks(body, model) ? THINKING_TOKENS : 0,
  }
}

function mostSearches({ tools }: JsonObject): number {
  const tool = objectsIn(tools).find(({ type }) => String(type).startsWith('web_search_'))
  const most = tool?.['max_uses']
  return tool === undefined ? 0 : typeof most === 'number' ? most : Number.POSITIVE_INFINITY
}

function thinks(body: JsonObject, model: string): boolean {
  const type = objectOrEmpty(body['thinking'])['type']
  if (type === undefined) return anthropicModel(model)?.thinksByDefault ?? false
  return type === 'adaptive' || type === 'enabled'
}

function readToolChoice(choice: JsonObject): ToolChoice {
  const { type, name } = choice as { type?: unknown; name?: unknown }
  if (type === 'tool' && typeof name === 'string') return { kind: 'tool', name }
  return { kind: type === 'any' || type === 'none' ? type : 'auto' }
}

export function writeMessage(reply: PlannedReply, body: JsonObject, account: Account): JsonObject {
  return {
    id: newId('msg_01', 22),
    type: 'message',
    role: 'assistant',
    model: body['model'],
    content: writeContent(reply),
    stop_reason: reply.finishOverride ?? STOP_REASONS[reply.finish],
    stop_sequence: null,
    stop_details: reply.refusal === null ? null : { type: 'refusal', category: 'cyber', explanation: reply.refusal },
    usage: writeUsage(reply, body, account),
  }
}

const STOP_REASONS: Record<PlannedReply['finish'], string> = {
  end: 'end_turn',
  length: 'max_tokens',
  tools: 'tool_use',
  refusal: 'refusal',
}

function writeContent(reply: PlannedReply): JsonObject[] {
  const content: JsonObject[] = []
  if (reply.usage.thinkingTokens > 0) {
    // The text of thinking is omitted by default on today's models; the signature is not.
    content.push({ type: 'thinking', thinking: reply.thinking, signature: newId('', 64) })
  }
  for (let search = 0; search < (reply.usage.searches ?? 0); search++) {
    const id = newId('srvtoolu_01', 22)
    content.push({ type: 'server_tool_use', id, name: 'web_search', input: { query: 'trains' } })
    content.push({ type: 'web_search_tool_result', tool_use_id: id, content: [] })
  }
  if (reply.text !== '') content.push({ type: 'text', text: reply.text })
  for (const call of reply.toolCalls) {
    content.push({ type: 'tool_use', id: newId('toolu_01', 22), name: call.name, input: call.input })
  }
  return content
}

function writeUsage({ usage }: PlannedReply, body: JsonObject, { inferenceGeo }: Account): JsonObject {
  const hour = usage.cacheWriteTokens > 0 && JSON.stringify(body).includes('"ttl":"1h"')
  return {
    input_tokens: usage.freshTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cachedTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: hour ? 0 : usage.cacheWriteTokens,
      ephemeral_1h_input_tokens: hour ? usage.cacheWriteTokens : 0,
    },
    output_tokens: usage.completionTokens,
    ...(usage.thinkingTokens > 0 ? { output_tokens_details: { thinking_tokens: usage.thinkingTokens } } : {}),
    ...(usage.searches === undefined ? {} : { server_tool_use: { web_search_requests: usage.searches } }),
    service_tier: 'standard',
    inference_geo: body['inference_geo'] ?? inferenceGeo,
  }
}
