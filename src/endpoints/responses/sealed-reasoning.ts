import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { ReasoningBlock } from '../../domain/request/answer.ts'
import { isJsonObject } from '../../domain/request/call-request.ts'
import type { Sealing } from '../../domain/request/sealing.ts'

/** Ours, with the version of the format: other gateways and vendors seal differently. */
const PREFIX = 'swy1.'
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A block of reasoning for the caller's next turn. Only this gateway can read or change it. */
export function sealReasoning(block: ReasoningBlock, { keys: [key], binding }: Sealing): string | null {
  if (key === undefined) return null
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(boundTo(binding))
  const sealed = [cipher.update(JSON.stringify(block), 'utf8'), cipher.final()]
  return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url')
}

/** Null: not ours, of another entry, or of a key that is no longer known. */
export function unsealReasoning(text: string, { keys, binding }: Sealing): ReasoningBlock | null {
  if (!text.startsWith(PREFIX)) return null
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url')
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return null
  for (const key of keys) {
    const block = openedWith(key, bytes, boundTo(binding))
    if (block !== null) return block
  }
  return null
}

function openedWith(key: Uint8Array, bytes: Buffer, associated: Buffer): ReasoningBlock | null {
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(associated).setAuthTag(tag)
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
    return asBlock(JSON.parse(text.toString('utf8')))
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

function boundTo(binding: string): Buffer {
  return Buffer.from(`${PREFIX} ${binding}`, 'utf8')
}
