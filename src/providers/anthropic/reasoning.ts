import type { ReasoningBlock } from '../../domain/request/answer.ts'

/** A block of thinking as a later turn sends it back. Null: it is none, or could not be sent back. */
export function reasoningBlock(block: {
  type?: unknown
  thinking?: unknown
  signature?: unknown
  data?: unknown
}): ReasoningBlock | null {
  const { type, thinking, signature, data } = block
  if (type === 'redacted_thinking') return isText(data) ? { type, data } : null
  if (type !== 'thinking' || !isText(signature)) return null
  return { type, thinking: typeof thinking === 'string' ? thinking : '', signature }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
