import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { MessagesMessage } from '../../../domain/request/messages.ts'
import { mistake, quoted, refuse, requiredText } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { chatName } from '../tool-names.ts'
import { contentParts, isMarked, type Part } from './content.ts'
import { marked, type Notes } from './notes.ts'
import { systemContent } from './system.ts'
import { type ToolResult, toolResult } from './tool-result.ts'

/** The messages in order, and the unanswered calls of the last one. */
interface Draft {
  messages: JsonObject[]
  openCalls: Set<string>
  notes: Notes
}

/** The caller's messages as those of chat. */
export function conversation(messages: readonly MessagesMessage[], notes: Notes): JsonObject[] {
  const draft: Draft = { messages: [], openCalls: new Set(), notes }
  messages.forEach((message, index) => {
    addMessage(draft, message, `messages[${index}]`)
  })
  checkAnswered(draft, `messages[${messages.length - 1}]`)
  if (messages.at(-1)?.role === 'assistant') {
    refuse(worded`messages[${messages.length - 1}]: the beginning of an answer is not supported by this provider`)
  }
  return draft.messages
}

function addMessage(draft: Draft, { role, content }: MessagesMessage, path: string): void {
  switch (role) {
    case 'user':
      addUser(draft, content, path)
      break
    case 'assistant':
      checkAnswered(draft, path)
      addAssistant(draft, content, path)
      break
    case 'system':
      draft.messages.push({ role, content: systemContent(content, `${path}.content`, draft.notes) })
      break
    default:
      mistake(worded`${path}.role: ${quoted(role)} is not a role`)
  }
}

/** Results come first: chat wants them right after the calls, and images in them only in a message of the user. */
function addUser(draft: Draft, content: unknown, path: string): void {
  if (typeof content === 'string') {
    checkAnswered(draft, path)
    draft.messages.push({ role: 'user', content })
    return
  }
  const blocks = blocksOf(content, path)
  const isResult = ({ type }: JsonObject) => type === 'tool_result'
  const results = blocks.flatMap((block, at): ToolResult[] => {
    return isResult(block) ? [toolResult(block, `${path}.content[${at}]`, draft.notes)] : []
  })
  for (const result of results) addResult(draft, result, path)
  checkAnswered(draft, path)
  const parts = results.flatMap(({ parts }) => parts)
  blocks.forEach((block, at) => {
    if (!isResult(block)) parts.push(...contentParts(block, `${path}.content[${at}]`, draft.notes))
  })
  if (parts.length > 0) draft.messages.push({ role: 'user', content: plain(parts) })
  else if (results.length === 0) draft.messages.push({ role: 'user', content: '' })
}

function addResult(draft: Draft, { toolUseId, text, isError, marker }: ToolResult, path: string): void {
  const id = chatId(toolUseId)
  if (!draft.openCalls.delete(id)) {
    mistake(
      worded`${path}: a tool_result has the tool_use_id ${quoted(toolUseId)}, but no open tool_use before it has this id`,
    )
  }
  draft.messages.push({
    role: 'tool',
    tool_call_id: id,
    content: text,
    ...(isError ? { is_error: true } : {}),
    ...marker,
  })
}

function addAssistant(draft: Draft, content: unknown, path: string): void {
  if (typeof content === 'string') {
    draft.messages.push({ role: 'assistant', content })
    return
  }
  let text = ''
  let marker: JsonObject = {}
  const calls: JsonObject[] = []
  for (const [at, block] of blocksOf(content, path).entries()) {
    const place = `${path}.content[${at}]`
    marker = marked(block, draft.notes)
    switch (block['type']) {
      case 'text':
        text += requiredText(block['text'], `${place}.text`)
        break
      case 'tool_use':
        calls.push(toolCall(block, place, draft))
        break
      // Only the model that thought it can use it.
      case 'thinking':
      case 'redacted_thinking':
        break
      default:
        refuse(worded`${place}.type: ${quoted(block['type'])} is not supported by this provider`)
    }
  }
  // Only one on the last block stays where it was.
  const message: JsonObject = { role: 'assistant', content: text === '' && calls.length > 0 ? null : text, ...marker }
  if (calls.length > 0) message['tool_calls'] = calls
  draft.messages.push(message)
}

function toolCall({ id, name, input }: JsonObject, path: string, { openCalls }: Draft): JsonObject {
  const called = chatId(requiredText(id, `${path}.id`))
  if (openCalls.has(called)) mistake(worded`${path}.id: two calls have the id ${quoted(id)}`)
  openCalls.add(called)
  const tool = { name: chatName(requiredText(name, `${path}.name`)), arguments: JSON.stringify(input ?? {}) }
  return { id: called, type: 'function', function: tool }
}

function checkAnswered({ openCalls }: Draft, path: string): void {
  const [open] = openCalls
  if (open !== undefined)
    mistake(worded`${path}: expected a tool_result for each tool_use before it; ${quoted(open)} has none`)
}

function blocksOf(content: unknown, path: string): JsonObject[] {
  if (!Array.isArray(content)) return mistake(worded`${path}.content: expected a string or an array of blocks`)
  return content.map((block: unknown, at) => {
    return isJsonObject(block) ? block : mistake(worded`${path}.content[${at}]: expected an object`)
  })
}

/** One text alone needs no parts: every server takes a string. */
function plain(parts: readonly Part[]): string | readonly Part[] {
  const [first, ...others] = parts
  return first !== undefined && others.length === 0 && first.type === 'text' && !isMarked(first)
    ? String(first['text'])
    : parts
}

const LONGEST_ID = 40

/** Chat takes no longer ids. */
function chatId(id: string): string {
  return id.length <= LONGEST_ID ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`
}
