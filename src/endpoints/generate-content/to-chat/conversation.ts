import { createHash } from 'node:crypto'
import type { ReasoningBlock } from '../../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { type Content, fieldOf, objectField, textField } from '../../../domain/request/contents.ts'
import { mistake, quoted, refuse, requiredText } from '../../../domain/request/rejection.ts'
import type { Sealing } from '../../../domain/request/sealing.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { chatName } from '../../messages/tool-names.ts'
import { blocksIn } from '../signatures.ts'
import { type Part, userParts } from './parts.ts'

interface Draft {
  messages: JsonObject[]
  /** The calls of the last turn of the model that have no result yet, in order. */
  open: { id: string; name: string }[]
  ignored: Set<string>
  sealing: Sealing | undefined
}

/** A part, and where it is. */
interface Placed {
  part: JsonObject
  path: string
  /** A name for it that stays the same in the next turn: providers keep prefixes of prompts. */
  place: string
}

interface Turn {
  isModel: boolean
  parts: Placed[]
}

/** The caller's contents as messages of chat. */
export function conversation(
  contents: readonly Content[],
  ignored: Set<string>,
  sealing: Sealing | undefined,
): JsonObject[] {
  const draft: Draft = { messages: [], open: [], ignored, sealing }
  const turns = turnsOf(contents)
  for (const { isModel, parts } of turns) (isModel ? addModel : addUser)(draft, parts)
  checkAnswered(draft, 'contents')
  if (turns.at(-1)?.isModel === true) {
    refuse(worded`contents: the beginning of an answer is not supported by this provider`)
  }
  if (draft.messages.length === 0) mistake(worded`contents: expected at least one part`)
  return draft.messages
}

/** Neighbours of one role are one turn: results of several calls may come in a content each. */
function turnsOf(contents: readonly Content[]): Turn[] {
  const turns: Turn[] = []
  for (const [at, { role, parts }] of contents.entries()) {
    const path = `contents[${at}]`
    const isModel = isModelRole(role ?? 'user', path)
    const placed = (parts ?? []).map((part, n) => ({ part, path: `${path}.parts[${n}]`, place: `${at}_${n}` }))
    const last = turns.at(-1)
    if (last?.isModel === isModel) last.parts.push(...placed)
    else turns.push({ isModel, parts: placed })
  }
  return turns
}

/** Results come under several names. */
function isModelRole(role: string, path: string): boolean {
  if (role === 'model') return true
  if (role === 'user' || role === 'function' || role === 'tool' || role === '') return false
  return mistake(worded`${path}.role: expected user or model, not ${quoted(role)}`)
}

/** Results come first: chat wants them right after the calls. */
function addUser(draft: Draft, placed: readonly Placed[]): void {
  const parts: Part[] = []
  for (const each of placed) addResult(draft, each, parts)
  checkAnswered(draft, placed[0]?.path ?? 'contents')
  for (const { part, path } of placed) {
    if (objectField(part, 'functionResponse') === null) parts.push(...userParts(part, path, draft.ignored))
  }
  if (parts.length === 0) return
  const [first] = parts
  const isText = parts.length === 1 && first?.type === 'text'
  draft.messages.push({ role: 'user', content: isText ? first['text'] : parts })
}

const ATTACHED = '[The content that is not text follows in the next message.]'

/** What is not text in a result goes to `parts`: chat takes it from the user only. */
function addResult(draft: Draft, { part, path }: Placed, parts: Part[]): void {
  const result = objectField(part, 'functionResponse')
  if (result === null) return
  const place = `${path}.functionResponse`
  const tool_call_id = callOf(draft, result, place)
  const attached = result['parts'] ?? []
  if (!Array.isArray(attached)) mistake(worded`${place}.parts: expected an array`)
  const others = attached.flatMap((each: unknown, at) =>
    isJsonObject(each)
      ? userParts(each, `${place}.parts[${at}]`, draft.ignored)
      : mistake(worded`${place}.parts[${at}]: expected an object`),
  )
  parts.push(...others)
  const text = resultText(result['response'] ?? {})
  const content = others.length === 0 ? text : [text, ATTACHED].filter((each) => each !== '{}').join('\n')
  draft.messages.push({ role: 'tool', tool_call_id, content })
}

/** The call that it answers: by its id, else the first open one of this name. */
function callOf({ open }: Draft, result: JsonObject, path: string): string {
  const id = textField(result, 'id')
  const name = textField(result, 'name')
  const known = id === null ? -1 : open.findIndex((call) => call.id === chatId(id))
  const at = known >= 0 ? known : open.findIndex((call) => call.name === name)
  const [call] = at < 0 ? [] : open.splice(at, 1)
  return call === undefined
    ? mistake(worded`${path}: answers no open functionCall; its id is ${quoted(id)}, its name ${quoted(name)}`)
    : call.id
}

/** Clients put a text under `output`, and what went wrong under `error`. */
function resultText(response: unknown): string {
  if (!isJsonObject(response)) return typeof response === 'string' ? response : JSON.stringify(response)
  const names = Object.keys(response)
  const { output } = response
  return names.length === 1 && typeof output === 'string' ? output : JSON.stringify(response)
}

function addModel(draft: Draft, placed: readonly Placed[]): void {
  let text = ''
  const calls: JsonObject[] = []
  const thoughts: ReasoningBlock[] = []
  for (const { part, path, place } of placed) {
    const signature = textField(part, 'thoughtSignature')
    if (signature !== null) thoughts.push(...blocksIn(signature, draft.sealing))
    // Only the model that thought it can use it.
    if (part['thought'] === true) continue
    const called = objectField(part, 'functionCall')
    if (called !== null) calls.push(toolCall(draft, called, `${path}.functionCall`, place))
    else if (part['text'] !== undefined) text += requiredText(part['text'], `${path}.text`)
    else if (signature === null) refuse(worded`${path}: this kind of part is not supported by this provider`)
  }
  if (text === '' && calls.length === 0) return
  const message: JsonObject = { role: 'assistant', content: text === '' ? null : text }
  if (calls.length > 0) message['tool_calls'] = calls
  if (thoughts.length > 0) message['thinking_blocks'] = thoughts
  draft.messages.push(message)
}

function toolCall({ open }: Draft, called: JsonObject, path: string, place: string): JsonObject {
  const name = requiredText(called['name'], `${path}.name`)
  const named = textField(called, 'id')
  const id = named === null ? `call_${place}` : chatId(named)
  if (open.some((call) => call.id === id)) mistake(worded`${path}.id: two calls have the id ${quoted(named)}`)
  open.push({ id, name })
  const written = JSON.stringify(fieldOf(called, 'args') ?? {})
  return { id, type: 'function', function: { name: chatName(name), arguments: written } }
}

function checkAnswered({ open: [call] }: Draft, path: string): void {
  if (call !== undefined) {
    mistake(worded`${path}: expected a functionResponse for each functionCall; that of ${quoted(call.name)} is missing`)
  }
}

const LONGEST_ID = 40

/** Chat takes no longer ids. */
function chatId(id: string): string {
  return id.length <= LONGEST_ID ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`
}
