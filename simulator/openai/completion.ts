import { lastUserText, textOf } from '../call-log.ts'
import { isObject, type JsonObject, objectOrEmpty, objectsIn, stringOrNull } from '../json.ts'
import { newId } from '../random.ts'
import type { Ask, DeclaredTool, PlannedReply, ToolCall, ToolChoice } from '../reply.ts'
import type { Account } from '../stage.ts'
import { countPromptTokens } from '../tokens.ts'

export function readCompletionAsk(body: JsonObject): Ask {
  const messages = objectsIn(body['messages'])
  const last = messages.at(-1) ?? {}
  const format = objectOrEmpty(body['response_format'])
  const limit = body['max_completion_tokens'] ?? body['max_tokens']
  return {
    model: stringOrNull(body['model']) ?? '',
    lastUserText: lastUserText(messages),
    toolResult: last['role'] === 'tool' || last['role'] === 'function' ? textOf(last['content']) : null,
    toolResults: messages.filter(({ role }) => role === 'tool' || role === 'function').length,
    tools: declaredTools(body),
    toolChoice: readToolChoice(body['tool_choice'] ?? body['function_call']),
    parallelTools: body['parallel_tool_calls'] !== false && body['functions'] === undefined,
    schema: format['type'] === 'json_schema' ? objectOrEmpty(objectOrEmpty(format['json_schema'])['schema']) : null,
    anyJson: format['type'] === 'json_object',
    maxTokens: typeof limit === 'number' ? limit : null,
    promptTokens: countPromptTokens(body['messages'], body['tools'], body['functions']),
    thinkingTokens: 0,
  }
}

function declaredTools(body: JsonObject): DeclaredTool[] {
  const tools = objectsIn(body['tools']).map((tool) =>
    tool['type'] === 'custom'
      ? { ...declared(objectOrEmpty(tool['custom'])), isCustom: true }
      : declared(objectOrEmpty(tool['function'])),
  )
  return [...tools, ...objectsIn(body['functions']).map(declared)]
}

function declared({ name, parameters }: JsonObject): DeclaredTool {
  return { name: stringOrNull(name) ?? '', schema: objectOrEmpty(parameters) }
}

function readToolChoice(choice: unknown): ToolChoice {
  if (choice === 'none') return { kind: 'none' }
  if (choice === 'required') return { kind: 'any' }
  if (!isObject(choice)) return { kind: 'auto' }
  if (choice['type'] === 'allowed_tools') {
    return readToolChoice(objectOrEmpty(choice['allowed_tools'])['mode'])
  }
  const name = objectOrEmpty(choice['function'] ?? choice['custom'])['name'] ?? choice['name']
  return typeof name === 'string' ? { kind: 'tool', name } : { kind: 'auto' }
}

export function writeCompletion(reply: PlannedReply, body: JsonObject, account: Account): JsonObject {
  const count = typeof body['n'] === 'number' ? body['n'] : 1
  const { freshTokens, cachedTokens, cacheWriteTokens, completionTokens, thinkingTokens } = reply.usage
  const { audioTokens, imageTokens } = reply.usage
  const promptTokens = freshTokens + cachedTokens + cacheWriteTokens
  return {
    id: newId('chatcmpl-', 29),
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: body['model'],
    choices: Array.from({ length: count }, (_, index) => ({
      index,
      message: writeMessage(reply, body),
      logprobs: body['logprobs'] === true ? writeLogprobs(reply.text, body['top_logprobs']) : null,
      finish_reason: reply.finishOverride ?? finishReason(reply, body),
    })),
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens * count,
      total_tokens: promptTokens + completionTokens * count,
      prompt_tokens_details: {
        cached_tokens: cachedTokens,
        audio_tokens: 0,
        ...(cacheWriteTokens > 0 ? { cache_write_tokens: cacheWriteTokens } : {}),
      },
      completion_tokens_details: {
        reasoning_tokens: thinkingTokens,
        audio_tokens: audioTokens,
        // Of compatible servers only.
        ...(imageTokens > 0 ? { image_tokens: imageTokens } : {}),
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
    service_tier: tierOf(body['service_tier'], account),
    system_fingerprint: 'fp_51a70c4d2e',
  }
}

/** A request that leaves the tier open gets the one that the project is set to. */
export function tierOf(tier: unknown, { serviceTier }: Account): unknown {
  return tier === undefined || tier === null || tier === 'auto' ? serviceTier : tier
}

function writeMessage(reply: PlannedReply, body: JsonObject): JsonObject {
  const message: JsonObject = {
    role: 'assistant',
    content: reply.text === '' && (reply.refusal !== null || reply.toolCalls.length > 0) ? null : reply.text,
    refusal: reply.refusal,
    annotations: [],
    // Not the vendor's, but that of many compatible servers.
    ...(reply.thinking === '' ? {} : { reasoning_content: reply.thinking }),
  }
  const [first] = reply.toolCalls
  if (!first) return message
  if (body['functions'] !== undefined) return { ...message, function_call: writeFunction(first) }
  const calls = reply.toolCalls.map((call) => ({
    id: newId('call_', 24),
    ...(call.isCustom
      ? { type: 'custom', custom: { name: call.name, input: String(call.input) } }
      : { type: 'function', function: writeFunction(call) }),
  }))
  return { ...message, tool_calls: calls }
}

function writeFunction(call: ToolCall): JsonObject {
  return { name: call.name, arguments: JSON.stringify(call.input) }
}

function finishReason(reply: PlannedReply, body: JsonObject): string {
  switch (reply.finish) {
    case 'end':
    // The vendor reports a refusal of the model as an ordinary stop.
    case 'refusal':
      return 'stop'
    case 'length':
      return 'length'
    case 'tools':
      return body['functions'] === undefined ? 'tool_calls' : 'function_call'
  }
}

function writeLogprobs(text: string, top: unknown): JsonObject {
  const alternatives = typeof top === 'number' ? top : 0
  const content = (text.match(/\s*\S+/g) ?? []).map((token) => {
    const bytes = [...Buffer.from(token)]
    const others = Array.from({ length: alternatives }, (_, index) => ({ token, logprob: -0.01 - index, bytes }))
    return { token, logprob: -0.01, bytes, top_logprobs: others }
  })
  return { content, refusal: null }
}
