import type { JsonObject } from '../../../domain/request/call-request.ts'
import { requiredText } from '../../../domain/request/rejection.ts'
import { nestedParts, type Part } from './content.ts'
import { marked, type Notes } from './notes.ts'

/** What a tool gave. */
export interface ToolResult {
  toolUseId: string
  text: string
  isError: boolean
  /** Images and files: chat takes them from the user only. */
  parts: Part[]
  /** Of what to cache, if it has one. */
  marker: JsonObject
}

export function toolResult(block: JsonObject, path: string, notes: Notes): ToolResult {
  const { tool_use_id: id, content, is_error: isError } = block
  const all = nestedParts(content ?? '', `${path}.content`, notes)
  const parts = all.filter(({ type }) => type !== 'text')
  const texts = all.filter(({ type }) => type === 'text').map(({ text }) => String(text))
  if (parts.length > 0) texts.push(ATTACHED)
  const toolUseId = requiredText(id, `${path}.tool_use_id`)
  return { toolUseId, text: texts.join('\n'), isError: isError === true, parts, marker: marked(block, notes) }
}

const ATTACHED = '[The content that is not text follows in the next message.]'
