import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, refuse, requiredText } from '../../../domain/request/rejection.ts'
import { type Worded, worded } from '../../../domain/wording/worded.ts'
import { asksForCaching, cacheMarker } from './cache-control.ts'
import { type Block, contentBlocks, isBlank, isSubstantial, quoted, textBlock, withoutBlanks } from './content-parts.ts'
import type { Notes } from './notes.ts'
import { addSystemMessage, type SystemPrompt, systemContent } from './system.ts'
import { isThinking, thinkingBlocks } from './thinking-blocks.ts'
import { addToolResult, orderedResults, type ToolCall, toolCallsOf } from './tool-turns.ts'

/** Adjacent messages of one role, merged: the API requires alternating roles. */
interface Turn {
  role: 'user' | 'assistant'
  /** Without tool results: they stay with the calls of the previous turn until all are present. */
  content: string | Block[]
  calls: ToolCall[]
}

interface Draft {
  system: SystemPrompt
  turns: Turn[]
  /** A user message without content, until a neighbour absorbs it. */
  emptyUser: number | null
  /** Ids of all calls so far: the API requires them to be unique in the conversation. */
  callIds: Set<string>
  notes: Notes
}

export interface Conversation {
  system: string | Block[] | undefined
  messages: JsonObject[]
  /** Names of the tools that were called. */
  toolNames: ReadonlySet<string>
}

/** Chat messages as a conversation of the Messages API. */
export function conversationOf(messages: unknown, notes: Notes): Conversation {
  if (!Array.isArray(messages)) return mistake(worded`messages: expected an array`)
  const draft: Draft = { system: { blocks: [], isPlain: true }, turns: [], emptyUser: null, callIds: new Set(), notes }
  for (let index = 0; index < messages.length; index++) addMessage(draft, messages[index], index)
  if (draft.emptyUser !== null) mistake(emptyMessage(draft.emptyUser))
  const system = systemContent(draft.system)
  const toolNames = calledNames(draft.turns)
  if (draft.turns.length > 0) return { system, messages: finished(draft.turns), toolNames }
  if (system === undefined) return mistake(worded`messages: every message is empty`)
  return { system: undefined, messages: [{ role: 'user', content: system }], toolNames }
}

function calledNames(turns: readonly Turn[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { calls } of turns) for (const call of calls) names.add(call.use.name)
  return names
}

function addMessage(draft: Draft, message: unknown, index: number): void {
  if (!isJsonObject(message)) mistake(worded`messages[${index}]: expected an object`)
  switch (message['role']) {
    case 'system':
    case 'developer':
      noteName(message, draft.notes)
      addSystemMessage(draft.system, message, `messages[${index}]`, draft.notes)
      break
    case 'user':
      noteName(message, draft.notes)
      addUserMessage(draft, message, index)
      break
    case 'assistant':
      noteName(message, draft.notes)
      addAssistantMessage(draft, message, index)
      break
    case 'tool':
    case 'function':
      addToolMessage(draft, message, index)
      break
    default:
      mistake(worded`messages[${index}].role: ${quoted(message['role'])} is not a role`)
  }
}

function noteName(message: JsonObject, notes: Notes): void {
  if ((message['name'] ?? null) !== null) notes.ignored.add('name')
}

function addUserMessage(draft: Draft, message: JsonObject, index: number): void {
  const content = messageContent(message, [], [], index, draft.notes)
  if (content.length > 0) addTurn(draft, { role: 'user', content, calls: [] })
  else if (draft.turns.at(-1)?.role !== 'user') draft.emptyUser ??= index
}

function addAssistantMessage(draft: Draft, message: JsonObject, index: number): void {
  if ((message['audio'] ?? null) !== null)
    refuse(worded`messages[${index}].audio: audio is not supported by this provider`)
  const calls = toolCallsOf(message, index, draft.callIds, draft.notes)
  const appended: Block[] = calls.map((call) => call.use)
  const refusal = message['refusal'] ?? null
  if (refusal !== null) appended.unshift(textBlock(requiredText(refusal, `messages[${index}].refusal`)))
  const content = messageContent(message, thinkingBlocks(message, index), appended, index, draft.notes)
  if (content.length > 0) addTurn(draft, { role: 'assistant', content, calls })
}

/** A message's content between other blocks: a plain string where possible, or blocks. */
function messageContent(
  message: JsonObject,
  before: Block[],
  after: Block[],
  index: number,
  notes: Notes,
): string | Block[] {
  const content = message['content']
  if (typeof content === 'string' && before.length === 0 && after.length === 0 && !asksForCaching(message)) {
    return isBlank(content) ? '' : content
  }
  const path = `messages[${index}]`
  const blocks = withoutBlanks([...before, ...contentBlocks(content, `${path}.content`, notes), ...after])
  // The API rejects a marker on whitespace and on thinking.
  const last = blocks.findLast((block) => isSubstantial(block) && !isThinking(block))
  const marker = last === undefined ? undefined : cacheMarker(message, path, notes)
  if (last !== undefined && marker !== undefined) last['cache_control'] = marker
  return blocks
}

function addToolMessage(draft: Draft, message: JsonObject, index: number): void {
  const last = draft.turns.at(-1)
  const caller = last?.role === 'user' ? draft.turns.at(-2) : last
  const call = addToolResult(caller?.calls ?? [], message, index, draft.notes)
  const marker = cacheMarker(message, `messages[${index}]`, draft.notes)
  if (call.result !== null && marker !== undefined) call.result['cache_control'] = marker
  if (last?.role !== 'user') addTurn(draft, { role: 'user', content: [], calls: [] })
}

function addTurn(draft: Draft, turn: Turn): void {
  if (turn.role === 'assistant' && draft.emptyUser !== null) mistake(emptyMessage(draft.emptyUser))
  draft.emptyUser = null
  const last = draft.turns.at(-1)
  if (last?.role !== turn.role) {
    draft.turns.push(turn)
    return
  }
  const merged = blocksOf(last.content)
  for (const block of blocksOf(turn.content)) merged.push(block)
  last.content = merged
  for (const call of turn.calls) last.calls.push(call)
}

function blocksOf(content: string | Block[]): Block[] {
  return typeof content === 'string' ? [textBlock(content)] : content
}

function emptyMessage(index: number): Worded {
  return worded`messages[${index}]: the message has no content`
}

/** Puts the results before the text that follows them, and trims a prefill. */
function finished(turns: Turn[]): JsonObject[] {
  const last = turns.at(-1)
  if (last?.role === 'assistant') {
    orderedResults(last.calls)
    last.content = withoutTrailingSpace(last.content)
  }
  return turns.map((turn, index) => {
    const calls = turn.role === 'user' ? (turns[index - 1]?.calls ?? []) : []
    if (calls.length === 0) return { role: turn.role, content: turn.content }
    return { role: turn.role, content: [...orderedResults(calls), ...blocksOf(turn.content)] }
  })
}

/** The API rejects a prefill that ends in whitespace. */
function withoutTrailingSpace(content: string | Block[]): string | Block[] {
  if (typeof content === 'string') return content.trimEnd()
  const last = content.at(-1)
  if (last === undefined || last.type !== 'text') return content
  const text = String(last['text']).trimEnd()
  const before = content.slice(0, -1)
  return text === '' ? withoutTrailingSpace(before) : [...before, { ...last, text }]
}
