import type { ReasoningBlock } from '../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { openCapsules } from '../../domain/request/compaction.ts'
import { mistake, quoted, refuse, requiredText } from '../../domain/request/rejection.ts'
import { isMessageItem } from '../../domain/request/responses.ts'
import type { Sealing } from '../../domain/request/sealing.ts'
import { worded } from '../../domain/wording/worded.ts'
import { chatContent, plainText } from './chat-content.ts'
import { unsealReasoning } from './sealed-reasoning.ts'
import { chatNameOf } from './tools.ts'

/** What a model said in one turn: in chat one message, so its neighbouring items are gathered. */
interface AssistantTurn {
  text: string[]
  refusal: string
  calls: JsonObject[]
  reasoning: ReasoningBlock[]
}

export interface Draft {
  messages: JsonObject[]
  turn: AssistantTurn | null
  /** Images of tool results: in chat only a user shows images, after all results. */
  images: JsonObject[]
  ignored: Set<string>
  sealing: Sealing | undefined
}

/** The items of an input as chat messages. */
export function conversationOf(
  { instructions, input }: JsonObject,
  ignored: Set<string>,
  sealing?: Sealing,
): JsonObject[] {
  const draft: Draft = { messages: [], turn: null, images: [], ignored, sealing }
  if (typeof instructions === 'string' && instructions !== '') addSystem(draft, instructions)
  if (typeof input === 'string') draft.messages.push({ role: 'user', content: input })
  else if (Array.isArray(input)) {
    for (const [at, item] of openCapsules(input, sealing).entries()) addItem(draft, item, `input[${at}]`)
  }
  endTurn(draft)
  endResults(draft)
  if (draft.messages.length === 0) mistake(worded`input: expected at least one message`)
  return draft.messages
}

function addItem(draft: Draft, item: unknown, path: string): void {
  if (!isJsonObject(item)) mistake(worded`${path}: expected an object`)
  if (isMessageItem(item)) addMessage(draft, item, path)
  else (ITEMS.get(item['type']) ?? refuseItem)(draft, item, path)
}

type AddItem = (draft: Draft, item: JsonObject, path: string) => void

/** The items of a conversation that are no messages. One that has no row is refused: it must not get lost. */
const ITEMS: ReadonlyMap<unknown, AddItem> = new Map<unknown, AddItem>([
  ['function_call', (draft, item, path) => addCall(draft, item, textAt(item, 'arguments', path), path)],
  [
    'custom_tool_call',
    (draft, item, path) => addCall(draft, item, JSON.stringify({ input: textAt(item, 'input', path) }), path),
  ],
  ['function_call_output', addResult],
  ['custom_tool_call_output', addResult],
  ['reasoning', addReasoning],
  ['agent_message', addAgentMessage],
  ['compaction', refuseCapsule],
  ['compaction_summary', refuseCapsule],
  // Its tools are read with the others (tools.ts).
  ['additional_tools', () => undefined],
  [
    'item_reference',
    (_draft, _item, path) =>
      refuse(worded`${path}: an item_reference is known to one provider only; send the item itself`),
  ],
])

function refuseItem(_draft: Draft, { type }: JsonObject, path: string): void {
  refuse(worded`${path}.type: ${quoted(type)} is only understood by an entry that speaks the Responses API`)
}

/** What it holds is the history of the conversation: without it the model would know nothing. */
function refuseCapsule(_draft: Draft, item: JsonObject, path: string): void {
  requiredText(item['encrypted_content'], `${path}.encrypted_content`)
  refuse(
    worded`${path}.encrypted_content: this summary of the conversation was made by another vendor, which alone can read it; go on with the model that made it, or start a new session`,
  )
}

/** What another agent of the same session wrote to this one. */
function addAgentMessage(draft: Draft, { author, content }: JsonObject, path: string): void {
  endResults(draft)
  endTurn(draft)
  const said = chatContent(content, `${path}.content`)
  const parts = typeof said === 'string' ? [{ type: 'text', text: said }] : said
  const from = typeof author === 'string' && author !== '' ? [{ type: 'text', text: `Message from ${author}:` }] : []
  draft.messages.push({ role: 'user', content: [...from, ...parts] })
}

function textAt(item: JsonObject, name: string, path: string): string {
  return requiredText(item[name] ?? '', `${path}.${name}`)
}

function addMessage(draft: Draft, { role, content }: JsonObject, path: string): void {
  endResults(draft)
  if (role === 'assistant') {
    const { text, refusal } = plainText(content, `${path}.content`)
    const turn = turnOf(draft)
    if (text !== '') turn.text.push(text)
    turn.refusal += refusal
    return
  }
  endTurn(draft)
  if (role === 'user') draft.messages.push({ role, content: chatContent(content, `${path}.content`) })
  else if (role === 'system' || role === 'developer') addSystem(draft, chatContent(content, `${path}.content`))
  else mistake(worded`${path}.role: expected one of user, assistant, system, developer`)
}

/** Most servers know only `system`, and many take just one such message, at the beginning. */
function addSystem({ messages }: Draft, content: string | JsonObject[]): void {
  const last = messages.at(-1)
  if (last?.['role'] === 'system' && typeof last['content'] === 'string' && typeof content === 'string') {
    last['content'] = `${last['content']}\n\n${content}`
  } else messages.push({ role: 'system', content })
}

function addCall(draft: Draft, { call_id: id, namespace, name }: JsonObject, written: string, path: string): void {
  endResults(draft)
  const called = { name: chatNameOf(namespace, requiredText(name, `${path}.name`)), arguments: written }
  turnOf(draft).calls.push({ id: requiredText(id, `${path}.call_id`), type: 'function', function: called })
}

function addResult(draft: Draft, { call_id: id, output }: JsonObject, path: string): void {
  endTurn(draft)
  const tool_call_id = requiredText(id, `${path}.call_id`)
  const content = chatContent(output ?? '', `${path}.output`)
  if (typeof content === 'string') {
    draft.messages.push({ role: 'tool', tool_call_id, content })
    return
  }
  const texts = content.filter(({ type }) => type === 'text')
  const others = content.filter(({ type }) => type !== 'text')
  const text = texts.map((part) => String(part['text'])).join('\n')
  const shown = others.length > 0 && text === '' ? 'The result follows as a message of the user.' : text
  draft.messages.push({ role: 'tool', tool_call_id, content: shown })
  draft.images.push(...others)
}

/** Only what this gateway has sealed for the same entry means anything there. */
function addReasoning(draft: Draft, { encrypted_content: sealed }: JsonObject): void {
  const { sealing } = draft
  const block = sealing === undefined || typeof sealed !== 'string' ? null : unsealReasoning(sealed, sealing)
  if (block === null) {
    draft.ignored.add('input.reasoning')
    return
  }
  endResults(draft)
  turnOf(draft).reasoning.push(block)
}

function turnOf(draft: Draft): AssistantTurn {
  draft.turn ??= { text: [], refusal: '', calls: [], reasoning: [] }
  return draft.turn
}

/** An empty turn makes no message. */
function endTurn(draft: Draft): void {
  const { turn } = draft
  draft.turn = null
  if (turn === null) return
  const { text, refusal, calls, reasoning } = turn
  if (text.length === 0 && refusal === '' && calls.length === 0) {
    if (reasoning.length > 0) draft.ignored.add('input.reasoning')
    return
  }
  const message: JsonObject = { role: 'assistant', content: text.length === 0 ? null : text.join('\n\n') }
  if (refusal !== '') message['refusal'] = refusal
  if (calls.length > 0) message['tool_calls'] = calls
  if (reasoning.length > 0) message['thinking_blocks'] = reasoning
  draft.messages.push(message)
}

function endResults(draft: Draft): void {
  const { images } = draft
  if (images.length === 0) return
  draft.images = []
  draft.messages.push({ role: 'user', content: images })
}
