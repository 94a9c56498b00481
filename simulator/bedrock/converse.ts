import { type JsonObject, objectOrEmpty, objectsIn, stringOrNull } from '../json.ts'
import { newId } from '../random.ts'
import type { Ask, PlannedReply, ToolChoice } from '../reply.ts'
import { countPromptTokens } from '../tokens.ts'

/** What a Converse request asks for. */
export function readConverseAsk(body: JsonObject): Ask {
  const messages = objectsIn(body['messages'])
  const tools = objectOrEmpty(body['toolConfig'])
  const results = messages.map(({ content }) => objectsIn(content).filter((block) => block['toolResult'] !== undefined))
  const last = results.at(-1) ?? []
  const format = objectOrEmpty(objectOrEmpty(body['outputConfig'])['textFormat'])
  const limit = objectOrEmpty(body['inferenceConfig'])['maxTokens']
  return {
    model: stringOrNull(body['model']) ?? '',
    lastUserText: lastUserText(messages),
    toolResult:
      last.length > 0 ? last.map((block) => textIn(objectOrEmpty(block['toolResult'])['content'])).join(', ') : null,
    toolResults: results.flat().length,
    tools: objectsIn(tools['tools']).map(({ toolSpec }) => {
      const { name, inputSchema } = objectOrEmpty(toolSpec)
      return { name: stringOrNull(name) ?? '', schema: objectOrEmpty(objectOrEmpty(inputSchema)['json']) }
    }),
    toolChoice: readToolChoice(objectOrEmpty(tools['toolChoice'])),
    parallelTools: true,
    schema: schemaOf(format),
    anyJson: false,
    maxTokens: typeof limit === 'number' ? limit : null,
    promptTokens: countPromptTokens(body['messages'], body['system'], body['toolConfig']),
    thinkingTokens: 0,
  }
}

export function textIn(content: unknown): string {
  return objectsIn(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('')
}

function lastUserText(messages: JsonObject[]): string {
  const said = messages.toReversed().find(({ role, content }) => role === 'user' && textIn(content) !== '')
  return textIn(said?.['content'])
}

function readToolChoice(choice: JsonObject): ToolChoice {
  const name = objectOrEmpty(choice['tool'])['name']
  if (typeof name === 'string') return { kind: 'tool', name }
  return { kind: choice['any'] === undefined ? 'auto' : 'any' }
}

function schemaOf({ structure }: JsonObject): JsonObject | null {
  const schema = objectOrEmpty(objectOrEmpty(structure)['jsonSchema'])['schema']
  return typeof schema === 'string' ? objectOrEmpty(JSON.parse(schema)) : null
}

const STOP_REASONS: Record<PlannedReply['finish'], string> = {
  end: 'end_turn',
  length: 'max_tokens',
  tools: 'tool_use',
  refusal: 'content_filtered',
}

export function writeConverse(reply: PlannedReply, body: JsonObject): JsonObject {
  const { usage } = reply
  const isHour = JSON.stringify(body).includes('"ttl":"1h"')
  const inputTokens = usage.freshTokens
  return {
    metrics: { latencyMs: 12 },
    output: { message: { role: 'assistant', content: writeContent(reply) } },
    stopReason: reply.finishOverride ?? STOP_REASONS[reply.finish],
    usage: {
      inputTokens,
      outputTokens: usage.completionTokens,
      totalTokens: inputTokens + usage.completionTokens + usage.cachedTokens + usage.cacheWriteTokens,
      cacheReadInputTokens: usage.cachedTokens,
      cacheWriteInputTokens: usage.cacheWriteTokens,
      ...(usage.cacheWriteTokens === 0
        ? {}
        : { cacheDetails: [{ ttl: isHour ? '1h' : '5m', inputTokens: usage.cacheWriteTokens }] }),
    },
    ...(body['serviceTier'] === undefined ? {} : { serviceTier: body['serviceTier'] }),
  }
}

function writeContent(reply: PlannedReply): JsonObject[] {
  const content: JsonObject[] = []
  if (reply.thinking !== '') {
    content.push({ reasoningContent: { reasoningText: { text: reply.thinking, signature: newId('', 32) } } })
  }
  const text = reply.refusal ?? reply.text
  if (text !== '') content.push({ text })
  for (const { name, input } of reply.toolCalls) {
    content.push({ toolUse: { toolUseId: newId('tooluse_', 22), name, input } })
  }
  return content
}
