import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, requiredText } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { type Block, quoted } from './content-parts.ts'

/**
 * The model's own reasoning, sent back in a later turn. An extension of ours: the common schema has no place for it. The
 * API wants such blocks at the beginning of the message, exactly as it gave them.
 */
export function thinkingBlocks(message: JsonObject, index: number): Block[] {
  const path = `messages[${index}].thinking_blocks`
  const blocks = message['thinking_blocks'] ?? []
  if (!Array.isArray(blocks)) return mistake(worded`${path}: expected an array`)
  return blocks.map((block, at) => thinkingBlock(block, `${path}[${at}]`))
}

function thinkingBlock(block: unknown, path: string): Block {
  if (!isJsonObject(block)) return mistake(worded`${path}: expected an object`)
  const text = (name: string) => requiredText(block[name], `${path}.${name}`)
  switch (block['type']) {
    case 'thinking':
      return { type: 'thinking', thinking: text('thinking'), signature: text('signature') }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: text('data') }
    default:
      return mistake(worded`${path}.type: ${quoted(block['type'])} is not a kind of thinking`)
  }
}

export function isThinking({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}
