import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ToolNames } from './tools.ts'

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export type MessagePart = { type: 'output_text'; text: string } | { type: 'refusal'; refusal: string }

/** `id` of an item: the answer's own, and the item's index in it. */
export function itemId(prefix: string, responseId: string, index: number): string {
  return `${prefix}_${responseId.replace(/^[a-z]+_/, '')}_${index}`
}

export function messageItem(id: string, parts: readonly MessagePart[], status: ItemStatus): JsonObject {
  return { id, type: 'message', status, role: 'assistant', content: parts.map(contentPart) }
}

export function contentPart(part: MessagePart): JsonObject {
  return part.type === 'refusal' ? part : { type: 'output_text', annotations: [], logprobs: [], text: part.text }
}

export function reasoningItem(id: string, summary: string, sealed: string | null): JsonObject {
  const item: JsonObject = { id, type: 'reasoning', summary: summary === '' ? [] : [summaryPart(summary)] }
  if (sealed !== null) item['encrypted_content'] = sealed
  return item
}

export function summaryPart(text: string): JsonObject {
  return { type: 'summary_text', text }
}

/** A call of one of the caller's tools. */
export interface ToolCall {
  kind: 'function' | 'custom'
  id: string
  callId: string
  name: string
  namespace: string | null
}

/** `chatName`: as the model called it. An undeclared name is a function's. */
export function toolCall(names: ToolNames, chatName: string, callId: string, at: [string, number]): ToolCall {
  const { kind, name, namespace } = names.get(chatName) ?? {
    kind: 'function' as const,
    name: chatName,
    namespace: null,
  }
  return { kind, id: itemId(kind === 'custom' ? 'ctc' : 'fc', ...at), callId, name, namespace }
}

/** `written`: its input so far, JSON or the text of a custom tool. */
export function callItem(call: ToolCall, written: string, status: ItemStatus): JsonObject {
  const { kind, id, callId, name, namespace } = call
  const named = { id, call_id: callId, name, ...(namespace === null ? {} : { namespace }) }
  if (kind === 'custom') return { type: 'custom_tool_call', status, ...named, input: written }
  return { type: 'function_call', status, ...named, arguments: written }
}

/** The input of a complete call, from the arguments that the model wrote. */
export function inputOf({ kind }: Pick<ToolCall, 'kind'>, written: string): string {
  if (kind === 'function') return written.trim() === '' ? '{}' : written
  return unwrapped(written)
}

/** The text of a tool that was wrapped as a function. A model that wrote the text alone meant the same. */
function unwrapped(written: string): string {
  try {
    const value: unknown = JSON.parse(written)
    if (typeof value === 'string') return value
    if (typeof value === 'object' && value !== null && 'input' in value && typeof value.input === 'string') {
      return value.input
    }
  } catch {
    // Not JSON: the text itself.
  }
  return written
}
