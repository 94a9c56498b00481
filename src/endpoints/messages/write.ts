import { z } from 'zod'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import type { Answer, Stamp } from '../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { checkFaithful } from '../../domain/request/faithful.ts'
import { type MessagesRequest, UNSIGNED } from '../../domain/request/messages.ts'
import { replaceFields } from '../replace-value.ts'
import { stopReason } from './stop-reason.ts'
import { callersNames } from './tool-names.ts'
import { messageUsage } from './usage.ts'

export const Message = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string().describe('As the caller sent it; the model that answered is in x-gateway-model.'),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullish(),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
})

/** The provider's own message as it is, except for the model; a completion as a message. */
export function writeMessage(answer: Answer, stamp: Stamp, request: MessagesRequest): string {
  const { body, json } = answer
  const edited = json === undefined ? null : replaceFields(json, ['model'], [JSON.stringify(stamp.model)])
  if (edited !== null) return edited
  if (json !== undefined || body['type'] === 'message') return JSON.stringify({ ...body, model: stamp.model })
  return JSON.stringify(messageOf(answer, stamp, request))
}

function messageOf({ body, usage, finishReason, reasoning }: Answer, { id, model }: Stamp, request: MessagesRequest) {
  const { choices } = body
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const message = isJsonObject(choice) && isJsonObject(choice['message']) ? choice['message'] : {}
  const calls = toolUses(message['tool_calls'], callersNames(request))
  const thought = showsThinking(request) ? (reasoning ?? unsigned(message)) : []
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [...thought, ...texts(message), ...calls],
    stop_reason: stopReason(finishReason, calls.length > 0),
    stop_sequence: null,
    usage: messageUsage(usage ?? NO_USAGE),
  }
}

/** A caller who did not ask for it may expect text in the first block. */
export function showsThinking({ thinking }: Pick<MessagesRequest, 'thinking'>): boolean {
  return isJsonObject(thinking) && (thinking['type'] === 'enabled' || thinking['type'] === 'adaptive')
}

function unsigned(message: JsonObject): JsonObject[] {
  const thinking = message['reasoning_content'] ?? message['reasoning']
  if (typeof thinking !== 'string' || thinking === '') return []
  return [{ type: 'thinking', thinking, signature: UNSIGNED }]
}

function texts({ content, refusal }: JsonObject): JsonObject[] {
  const parts = [Array.isArray(content) ? content.map(textOfPart).join('') : content, refusal]
  return parts.flatMap((text) => (typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : []))
}

function textOfPart(part: unknown): string {
  return isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''
}

function toolUses(calls: unknown, callersName: (name: string) => string): JsonObject[] {
  if (!Array.isArray(calls)) return []
  return calls.flatMap((call: unknown, at) => {
    const called = isJsonObject(call) ? call['function'] : undefined
    if (!isJsonObject(call) || !isJsonObject(called) || typeof called['name'] !== 'string') return []
    const id = typeof call['id'] === 'string' && call['id'] !== '' ? call['id'] : `call_${at}`
    return [{ type: 'tool_use', id, name: callersName(called['name']), input: toolInput(called['arguments']) }]
  })
}

/** Clients expect an object. What is none stays readable. */
function toolInput(written: unknown): JsonObject {
  if (isJsonObject(written)) return written
  if (typeof written !== 'string' || written.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(written)
    checkFaithful(value)
    return isJsonObject(value) ? value : { raw_arguments: written }
  } catch {
    return { raw_arguments: written }
  }
}
