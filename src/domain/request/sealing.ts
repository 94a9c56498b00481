import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/**
 * How what a caller keeps for its next turn is sealed: with authenticated encryption, so that it comes back unchanged.
 * Reasoning is bound to the entry that made it, which alone can use it, a summary to its workspace: any model reads it.
 */
export interface Sealing {
  /** 32 bytes each; the first one seals, each of them unseals. */
  keys: readonly Uint8Array[]
  /** Names the entry. */
  binding: string
  workspace: string
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `prefix`: names what is sealed, with the version of its format. Null: there is no key. */
export function sealText(prefix: string, text: string, [key]: Sealing['keys'], binding: string): string | null {
  if (key === undefined) return null
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(boundTo(prefix, binding))
  const sealed = [cipher.update(text, 'utf8'), cipher.final()]
  return prefix + Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url')
}

/** Null: not sealed so, bound to something else, changed, or of a key that is no longer known. */
export function unsealText(prefix: string, sealed: string, keys: Sealing['keys'], binding: string): string | null {
  if (!sealed.startsWith(prefix)) return null
  const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url')
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return null
  for (const key of keys) {
    const text = openedWith(key, bytes, boundTo(prefix, binding))
    if (text !== null) return text
  }
  return null
}

function openedWith(key: Uint8Array, bytes: Buffer, associated: Buffer): string | null {
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(associated).setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

function boundTo(prefix: string, binding: string): Buffer {
  return Buffer.from(`${prefix} ${binding}`, 'utf8')
}
