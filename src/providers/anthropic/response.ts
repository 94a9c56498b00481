import type { Answer } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'
import { usesFunctions } from '../declared-functions.ts'
import type { Reading } from '../family.ts'
import { failureFromWire, isErrorBody } from './failure.ts'
import { type Ending, ending } from './finish-reason.ts'
import { reasoningBlock } from './reasoning.ts'
import { asksForJson, isJsonAnswer } from './request/json-mode.ts'
import { completionUsage, usageFromWire } from './usage.ts'
import { type WireBlock, WireMessage } from './wire.ts'

const OK = 200

interface FunctionCall {
  name: string
  arguments: string
}

interface ToolCall {
  id: string
  type: 'function'
  function: FunctionCall
}

/** Reads a 2xx body as a completion or a failure. */
export function fromWire(body: unknown, request: ChatRequest): Reading {
  const parsed = isErrorBody(body) ? null : WireMessage.safeParse(body)
  if (!parsed?.success) return unreadable(body)
  const message = asksForJson(request) ? withJsonAnswer(parsed.data) : parsed.data
  const toolCalls = message === null ? null : toolCallsOf(message.content)
  if (message === null || toolCalls === null) return unreadable(body)
  const isLegacy = usesFunctions(request)
  const { stop_reason: stopReason, stop_details: details } = message
  const end = ending(stopReason, toolCalls.length > 0, isLegacy, details?.explanation)
  const usage = usageFromWire(message.usage)
  const answer: Answer = {
    body: {
      object: 'chat.completion',
      choices: [{ index: 0, message: assistantMessage(message, toolCalls, isLegacy, end), finish_reason: end.reason }],
      usage: completionUsage(usage),
    },
    usage,
    finishReason: end.reason,
    warning: end.warning,
  }
  const reasoning = message.content.map(reasoningBlock).filter((block) => block !== null)
  if (reasoning.length > 0) answer.reasoning = reasoning
  return { kind: 'answer', answer }
}

/** The input of our own tool is the whole text; null when it cannot be written. */
function withJsonAnswer(message: WireMessage): WireMessage | null {
  const isOurs = (block: WireBlock) => block.type === 'tool_use' && isJsonAnswer(block.name)
  const json = message.content.find(isOurs)
  if (json === undefined) return message
  const text = argumentsOf(json.input)
  if (text === null) return null
  const others = message.content.filter((block) => block.type !== 'text' && !isOurs(block))
  return { ...message, content: [{ type: 'text', text }, ...others] }
}

function unreadable(body: unknown): Reading {
  return { kind: 'failure', failure: failureFromWire(OK, body) }
}

/** Keys beyond docs/contract.md appear only when they have a value. */
function assistantMessage(message: WireMessage, toolCalls: ToolCall[], isLegacy: boolean, end: Ending): JsonObject {
  const text = textOf(message.content)
  const result: JsonObject = {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
  }
  if (end.refusal !== null) result['refusal'] = end.refusal
  const [first] = toolCalls
  if (first === undefined) return result
  if (isLegacy) result['function_call'] = first.function
  else result['tool_calls'] = toolCalls
  return result
}

/** Without separator: citations split one sentence over several blocks. */
function textOf(blocks: readonly WireBlock[]): string {
  let text = ''
  for (const block of blocks) if (block.type === 'text') text += block.text ?? ''
  return text
}

/** Null when a call cannot be returned: no name, no id, or arguments that cannot be written. */
function toolCallsOf(blocks: readonly WireBlock[]): ToolCall[] | null {
  const calls: ToolCall[] = []
  for (const block of blocks) {
    if (block.type !== 'tool_use') continue
    const written = argumentsOf(block.input)
    if (!block.id || !block.name || written === null) return null
    calls.push({ id: block.id, type: 'function', function: { name: block.name, arguments: written } })
  }
  return calls
}

function argumentsOf(input: unknown): string | null {
  if (typeof input === 'string') return input
  try {
    return JSON.stringify(input ?? {})
  } catch {
    // Nested too deeply for the stack.
    return null
  }
}
