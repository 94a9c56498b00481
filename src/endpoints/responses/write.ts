import { NO_USAGE } from '../../domain/pricing/usage.ts'
import type { Answer, ReasoningBlock, Stamp } from '../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { isCompaction } from '../../domain/request/compaction.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import { replaceFields } from '../replace-value.ts'
import { capsuleItem } from './capsule.ts'
import { callItem, inputOf, itemId, type MessagePart, messageItem, reasoningItem, toolCall } from './items.ts'
import { incompleteReason, responseObject, usageBody } from './response-object.ts'
import { sealReasoning } from './sealed-reasoning.ts'
import { asksForSealed } from './settings.ts'
import { toolNames } from './tools.ts'

/**
 * The caller's response. One in this format passes as it was received, with the provider's id: `previous_response_id`
 * and the provider's own pages know it by that.
 */
export function writeResponse(answer: Answer, stamp: Stamp, request: ResponsesRequest): string {
  const { body, json } = answer
  const edited = json === undefined ? null : replaceFields(json, ['model'], [JSON.stringify(stamp.model)])
  if (edited !== null) return edited
  if (json !== undefined || body['object'] === 'response') return JSON.stringify({ ...body, model: stamp.model })
  if (isCompaction(request)) {
    const usage = usageBody(answer.usage ?? NO_USAGE)
    const output = [capsuleItem(spokenText(messageOf(body)), stamp)]
    return JSON.stringify(responseObject(request, stamp, { status: 'completed', output, usage }))
  }
  const incomplete = incompleteReason(answer.finishReason)
  const status = incomplete === null ? 'completed' : 'incomplete'
  const output = outputOf(answer, stamp, request, status)
  const usage = usageBody(answer.usage ?? NO_USAGE)
  return JSON.stringify(responseObject(request, stamp, { status, output, usage, incomplete }))
}

/** The items of a completion: what the model thought, what it said, what it calls. */
function outputOf(
  { body, reasoning }: Answer,
  stamp: Stamp,
  request: ResponsesRequest,
  status: 'completed' | 'incomplete',
): JsonObject[] {
  const items: JsonObject[] = []
  const message = messageOf(body)
  const thoughts = reasoning ?? [message['reasoning_content'] ?? message['reasoning']]
  for (const thought of thoughts) {
    const item = thoughtItem(thought, itemId('rs', stamp.id, items.length), stamp, request)
    if (item !== null) items.push(item)
  }
  const { tool_calls: calls } = message
  const called = Array.isArray(calls) ? calls.filter(isJsonObject) : []
  const parts = messageParts(message)
  // An empty answer is still a message.
  if (parts.length > 0 || called.length === 0) {
    items.push(messageItem(itemId('msg', stamp.id, items.length), parts, status))
  }
  const names = toolNames(request)
  for (const { id, function: given, custom } of called) {
    const { name, arguments: written, input } = isJsonObject(given) ? given : isJsonObject(custom) ? custom : {}
    const call = toolCall(names, textOf(name), textOf(id), [stamp.id, items.length])
    items.push(callItem(call, inputOf(call, textOf(written ?? input)), 'completed'))
  }
  return items
}

function messageOf({ choices }: JsonObject): JsonObject {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  const message = isJsonObject(first) ? first['message'] : undefined
  return isJsonObject(message) ? message : {}
}

function thoughtItem(
  thought: ReasoningBlock | unknown,
  id: string,
  { sealing }: Stamp,
  request: ResponsesRequest,
): JsonObject | null {
  if (typeof thought === 'string') return thought === '' ? null : reasoningItem(id, thought, null)
  if (!isJsonObject(thought)) return null
  const block = thought as ReasoningBlock
  const sealed = sealing === undefined || !asksForSealed(request) ? null : sealReasoning(block, sealing)
  const summary = block.type === 'thinking' ? block.thinking : ''
  return summary === '' && sealed === null ? null : reasoningItem(id, summary, sealed)
}

function spokenText({ content }: JsonObject): string {
  return Array.isArray(content) ? content.map(partText).join('') : textOf(content)
}

function messageParts(message: JsonObject): MessagePart[] {
  const parts: MessagePart[] = []
  const { refusal } = message
  const text = spokenText(message)
  if (text !== '') parts.push({ type: 'output_text', text })
  if (typeof refusal === 'string' && refusal !== '') parts.push({ type: 'refusal', refusal })
  return parts
}

/** Some servers answer with parts. */
function partText(part: unknown): string {
  return isJsonObject(part) && part['type'] === 'text' ? textOf(part['text']) : ''
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
