import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { ContentKey } from '../store/engine/secrets.ts'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
/** Nothing that we have written is longer; a text that claims to be is not ours. */
const LONGEST = 64 * 1024 * 1024

/** Why a stored text cannot be read. */
export class UnreadableContentError extends Error {
  override readonly name = 'UnreadableContentError'
}

/** `<iv><ciphertext><tag>` in Base64. It can be opened with this key, as the content of this call only. */
export function seal(text: string, key: ContentKey, call: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key.key, iv, { authTagLength: TAG_BYTES })
  cipher.setAAD(contextOf(call))
  const packed = deflateRawSync(text)
  return Buffer.concat([iv, cipher.update(packed), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

export function unseal(sealed: string, keyId: string, keys: readonly ContentKey[], call: string): string {
  const candidates = keys.filter(({ id }) => id === keyId)
  if (candidates.length === 0) {
    throw new UnreadableContentError('it was encrypted with another key: add that key to SECRETS_KEY')
  }
  const bytes = Buffer.from(sealed, 'base64')
  for (const { key } of candidates) {
    const packed = tryDecipher(bytes, key, call)
    if (packed !== null) return inflateRawSync(packed, { maxOutputLength: LONGEST }).toString('utf8')
  }
  throw new UnreadableContentError('it is damaged')
}

function tryDecipher(bytes: Buffer, key: Uint8Array, call: string): Buffer | null {
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAAD(contextOf(call))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return null
  }
}

function contextOf(call: string): Buffer {
  return Buffer.from(`content of ${call}`)
}
