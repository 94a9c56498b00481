import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, quoted, refuse, requiredText } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { signatureIn } from '../signatures.ts'
import type { Draft } from './draft.ts'
import { type Part, partsOf } from './parts.ts'
import { addResult, resultsOf, type ToolCall, toolCallsOf } from './tool-turns.ts'

/** Neighbours of one role, merged. */
interface Turn {
  role: 'user' | 'model'
  /** Without the results of tools: they stay with the calls of the turn before until all are there. */
  parts: Part[]
  calls: ToolCall[]
}

interface Conversation {
  system: string[]
  turns: Turn[]
}

/** Chat messages as `systemInstruction` and `contents`. */
export function readMessages(messages: unknown, draft: Draft): void {
  if (!Array.isArray(messages)) mistake(worded`messages: expected an array`)
  const conversation: Conversation = { system: [], turns: [] }
  messages.forEach((message, index) => {
    addMessage(conversation, message, `messages[${index}]`, draft)
  })
  const { system, turns } = conversation
  const instruction: Part = { text: system.join('\n') }
  const contents = contentsOf(turns)
  if (contents.length === 0 && system.length === 0) mistake(worded`messages: every message is empty`)
  // Instructions alone are no request.
  draft.body['contents'] = contents.length > 0 ? contents : [{ role: 'user', parts: [instruction] }]
  if (contents.length > 0 && system.length > 0) draft.body['systemInstruction'] = { parts: [instruction] }
}

function addMessage(conversation: Conversation, message: unknown, path: string, draft: Draft): void {
  if (!isJsonObject(message)) mistake(worded`${path}: expected an object`)
  const { role } = message
  if ((message['name'] ?? null) !== null && role !== 'function' && role !== 'tool') draft.ignored.add('name')
  if ((message['cache_control'] ?? null) !== null) draft.ignored.add('cache_control')
  switch (role) {
    case 'system':
    case 'developer':
      addSystem(conversation, message, path, draft)
      break
    case 'user':
      addTurn(conversation, { role: 'user', parts: partsOf(message['content'], `${path}.content`, draft), calls: [] })
      break
    case 'assistant':
      addTurn(conversation, modelTurn(message, path, draft))
      break
    case 'tool':
    case 'function':
      addToolMessage(conversation, message, path, draft)
      break
    default:
      mistake(worded`${path}.role: ${quoted(role)} is not a role`)
  }
}

function addSystem({ system }: Conversation, message: JsonObject, path: string, draft: Draft): void {
  for (const { text } of partsOf(message['content'], `${path}.content`, draft)) {
    if (typeof text !== 'string') mistake(worded`${path}.content: a system message takes text only`)
    else system.push(text)
  }
}

function modelTurn(message: JsonObject, path: string, draft: Draft): Turn {
  if ((message['audio'] ?? null) !== null) refuse(worded`${path}.audio: audio is not supported by this provider`)
  const parts = partsOf(message['content'], `${path}.content`, draft)
  const refusal = message['refusal'] ?? null
  if (refusal !== null) parts.push({ text: requiredText(refusal, `${path}.refusal`) })
  const signature = signatureIn(message['extra_content'], draft.door, draft.target.model)
  if (signature !== null) {
    const last = parts.at(-1) ?? { text: '' }
    if (parts.length === 0) parts.push(last)
    last['thoughtSignature'] = signature
  }
  const calls = toolCallsOf(message, path, draft)
  for (const { part } of calls) parts.push(part)
  return { role: 'model', parts, calls }
}

function addToolMessage(conversation: Conversation, message: JsonObject, path: string, draft: Draft): void {
  const { turns } = conversation
  const last = turns.at(-1)
  const caller = last?.role === 'user' ? turns.at(-2) : last
  addResult(caller?.calls ?? [], message, path, draft)
  if (last?.role !== 'user') turns.push({ role: 'user', parts: [], calls: [] })
}

function addTurn({ turns }: Conversation, turn: Turn): void {
  const last = turns.at(-1)
  if (turn.parts.length === 0) return
  if (last?.role !== turn.role) {
    turns.push(turn)
    return
  }
  for (const part of turn.parts) last.parts.push(part)
  for (const call of turn.calls) last.calls.push(call)
}

/** Results go before the text that follows them. */
function contentsOf(turns: readonly Turn[]): JsonObject[] {
  resultsOf(turns.at(-1)?.calls ?? [])
  return turns.map(({ role, parts }, index) => {
    const calls = role === 'user' ? (turns[index - 1]?.calls ?? []) : []
    return { role, parts: calls.length === 0 ? parts : [...resultsOf(calls), ...parts] }
  })
}
