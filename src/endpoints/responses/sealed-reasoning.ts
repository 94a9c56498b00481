import type { ReasoningBlock } from '../../domain/request/answer.ts'
import { isJsonObject } from '../../domain/request/call-request.ts'
import { type Sealing, sealText, unsealText } from '../../domain/request/sealing.ts'

/** Ours, with the version of the format: other gateways and vendors seal differently. */
const PREFIX = 'swy1.'

type OfEntry = Pick<Sealing, 'keys' | 'binding'>

/** A block of reasoning for the caller's next turn. Only this gateway can read or change it. */
export function sealReasoning(block: ReasoningBlock, { keys, binding }: OfEntry): string | null {
  return sealText(PREFIX, JSON.stringify(block), keys, binding)
}

/** Null: not ours, of another entry, or of a key that is no longer known. */
export function unsealReasoning(sealed: string, { keys, binding }: OfEntry): ReasoningBlock | null {
  const text = unsealText(PREFIX, sealed, keys, binding)
  if (text === null) return null
  try {
    return asBlock(JSON.parse(text))
  } catch {
    return null
  }
}

function asBlock(value: unknown): ReasoningBlock | null {
  if (!isJsonObject(value)) return null
  const { type, thinking, signature, data } = value
  if (type === 'thinking' && typeof thinking === 'string' && typeof signature === 'string') {
    return { type, thinking, signature }
  }
  return type === 'redacted_thinking' && typeof data === 'string' ? { type, data } : null
}
