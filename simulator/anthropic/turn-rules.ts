import { type JsonObject, objectsIn } from '../json.ts'

interface Turn {
  role: string
  /** The index of the turn's first message, for the path of an error. */
  index: number
  blocks: JsonObject[]
}

/** Rules on what follows what. The shape of every message has been checked before. */
export function problemWithTurns(messages: readonly JsonObject[], version: string): string | null {
  const turns = mergeTurns(messages)
  return (
    problemWithBlankMessages(messages) ??
    problemWithPlaces(turns, version) ??
    problemWithPairs(turns) ??
    problemWithCacheMarks(messages)
  )
}

/** The vendor joins neighbours of the same role into one turn. */
function mergeTurns(messages: readonly JsonObject[]): Turn[] {
  const turns: Turn[] = []
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message)
    const last = turns.at(-1)
    if (last && last.role === message['role']) last.blocks.push(...blocks)
    else turns.push({ role: String(message['role']), index, blocks })
  }
  return turns
}

function blocksOf(message: JsonObject): JsonObject[] {
  const { content } = message as { content: unknown }
  return typeof content === 'string' ? [{ type: 'text', text: content }] : [...objectsIn(content)]
}

function problemWithBlankMessages(messages: readonly JsonObject[]): string | null {
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message)
    if (blocks.length === 0 || message['content'] === '') {
      return `messages.${index}: all messages must have non-empty content except for the optional final assistant message`
    }
    const isBlank = (block: JsonObject) => block['type'] === 'text' && String(block['text']).trim() === ''
    if (blocks.every(isBlank)) return 'messages: text content blocks must contain non-whitespace text'
  }
  return null
}

const USER_ONLY = ['tool_result', 'image']
const ASSISTANT_ONLY = ['tool_use', 'thinking', 'redacted_thinking']

function problemWithPlaces(turns: readonly Turn[], version: string): string | null {
  for (const { role, index, blocks } of turns) {
    for (const [position, { type }] of blocks.entries()) {
      const kind = String(type)
      const path = `messages.${index}.content.${position}`
      if (role === 'user' && ASSISTANT_ONLY.includes(kind)) {
        return `${path}: \`${kind}\` blocks can only be in \`assistant\` messages`
      }
      const isNewVersion = version >= '2026-10-21'
      if (role === 'assistant' && (USER_ONLY.includes(kind) || (kind === 'document' && isNewVersion))) {
        return `${path}: \`${kind}\` blocks can only be in \`user\` messages`
      }
    }
  }
  return null
}

function problemWithPairs(turns: readonly Turn[]): string | null {
  const known = new Set<string>()
  for (const [position, turn] of turns.entries()) {
    const before = turns[position - 1]
    const strayed = strayResult(turn, new Set(before ? idsOf(before, 'tool_use', 'id') : []))
    if (strayed) return strayed
    const asked = idsOf(turn, 'tool_use', 'id')
    for (const id of asked) {
      if (known.has(id)) return `messages.${turn.index}: \`tool_use\` ids must be unique`
      known.add(id)
    }
    const after = turns[position + 1]
    const answered = new Set(after ? leadingResults(after) : [])
    const open = asked.filter((id) => !answered.has(id))
    if (open.length > 0) {
      return `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
    }
  }
  return null
}

function strayResult(turn: Turn, asked: ReadonlySet<string>): string | null {
  const seen = new Set<string>()
  for (const [position, block] of turn.blocks.entries()) {
    if (block['type'] !== 'tool_result') continue
    const id = String(block['tool_use_id'])
    const path = `messages.${turn.index}.content.${position}`
    if (!asked.has(id)) {
      return `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
    }
    if (seen.has(id))
      return `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`
    seen.add(id)
  }
  return null
}

/** Results count only as long as nothing else came before them. */
function leadingResults(turn: Turn): string[] {
  const end = turn.blocks.findIndex((block) => block['type'] !== 'tool_result')
  const leading = end < 0 ? turn.blocks : turn.blocks.slice(0, end)
  return leading.map((block) => String(block['tool_use_id']))
}

function idsOf(turn: Turn, type: string, key: string): string[] {
  return turn.blocks.filter((block) => block['type'] === type).map((block) => String(block[key]))
}

function problemWithCacheMarks(messages: readonly JsonObject[]): string | null {
  for (const [index, message] of messages.entries()) {
    for (const [position, block] of blocksOf(message).entries()) {
      const isBlankText = block['type'] === 'text' && String(block['text']).trim() === ''
      if (!isBlankText || block['cache_control'] === undefined) continue
      return `messages.${index}.content.${position}.text: cache_control cannot be set for empty text blocks`
    }
  }
  return null
}
