import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'

const MARKER = { type: 'ephemeral' }

/** The field of a marker, in a body and on its blocks. */
export const MARKER_FIELD = 'cache_control'

/** The vendor's own service marks the last block itself, and moves the marker along with the conversation. */
export function markAutomatically(body: JsonObject): { body: JsonObject; field: string } | null {
  return hasMarker(body) ? null : { body: { ...body, [MARKER_FIELD]: MARKER }, field: MARKER_FIELD }
}

/** Services that know only markers on blocks: after the tools, after the system prompt and after the last turn of the user. */
export function markBlocks(body: JsonObject): { body: JsonObject; field: string } | null {
  if (hasMarker(body)) return null
  const marked = {
    tools: markedLast(body['tools'], ({ defer_loading: isDeferred }) => isDeferred !== true),
    system: markedLast(asBlocks(body['system']), isMarkable),
    messages: markedTurn(body['messages']),
  }
  const changed = Object.entries(marked).filter(([, value]) => value !== null)
  return changed.length === 0 ? null : { body: { ...body, ...Object.fromEntries(changed) }, field: MARKER_FIELD }
}

function hasMarker(body: JsonObject): boolean {
  const { [MARKER_FIELD]: own, tools, system, messages } = body
  return (
    (own ?? null) !== null ||
    [tools, system].some(isMarked) ||
    objectsIn(messages).some((turn) => isMarked(turn['content']))
  )
}

/** Results of tools have content of their own. */
function isMarked(blocks: unknown): boolean {
  return objectsIn(blocks).some((block) => (block[MARKER_FIELD] ?? null) !== null || isMarked(block['content']))
}

function markedTurn(messages: unknown): unknown[] | null {
  if (!Array.isArray(messages)) return null
  const at = messages.findLastIndex((turn) => isJsonObject(turn) && turn['role'] === 'user')
  const turn = messages[at]
  const content = isJsonObject(turn) ? markedLast(asBlocks(turn['content']), isMarkable) : null
  return content === null ? null : messages.with(at, { ...turn, content })
}

/** With a marker on the last that may have one; null: none may. */
function markedLast(blocks: unknown, mayBe: (block: JsonObject) => boolean): unknown[] | null {
  if (!Array.isArray(blocks)) return null
  const at = blocks.findLastIndex((block) => isJsonObject(block) && mayBe(block))
  return at < 0 ? null : blocks.with(at, { ...blocks[at], [MARKER_FIELD]: MARKER })
}

/** An empty text and reasoning are refused with a marker. */
function isMarkable({ type, text }: JsonObject): boolean {
  return type === 'text' ? typeof text === 'string' && text !== '' : type !== 'thinking' && type !== 'redacted_thinking'
}

function asBlocks(content: unknown): unknown {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
