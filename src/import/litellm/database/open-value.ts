import { createDecipheriv, hash } from 'node:crypto'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'

export type Opened = { kind: 'text'; text: string } | { kind: 'locked' }

const GCM = 'v2:gcm:'
const NONCE_BYTES = { gcm: 12, box: 24 }
const TAG_BYTES = 16
/** A nonce and a tag: a shorter value was never sealed. */
const SEALED_BYTES = NONCE_BYTES.box + TAG_BYTES

/** The key of LiteLLM's stored values, from its salt key, or from the master key where it has none. */
export function saltKeyBytes(saltKey: string): Buffer {
  return hash('sha256', saltKey, 'buffer')
}

/**
 * A stored text as LiteLLM reads it. What does not open is taken as it is, for rows that were written before values were
 * sealed; only what looks sealed counts as locked.
 */
export function openValue(stored: string, key: Buffer | null): Opened {
  if (stored.startsWith(GCM)) return opened(key, () => openGcm(bytesOf(stored.slice(GCM.length)), key))
  const bytes = bytesOf(stored)
  if (!isSealed(stored, bytes)) return { kind: 'text', text: stored }
  return opened(key, () =>
    Buffer.from(
      xsalsa20poly1305(key as Buffer, bytes.subarray(0, NONCE_BYTES.box)).decrypt(bytes.subarray(NONCE_BYTES.box)),
    ),
  )
}

function opened(key: Buffer | null, open: () => Buffer): Opened {
  if (key === null) return { kind: 'locked' }
  try {
    return { kind: 'text', text: open().toString('utf8') }
  } catch {
    return { kind: 'locked' }
  }
}

function openGcm(bytes: Buffer, key: Buffer | null): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key as Buffer, bytes.subarray(0, NONCE_BYTES.gcm))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES.gcm, -TAG_BYTES)), decipher.final()])
}

/** Node reads both alphabets of base64. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'base64')
}

/** Base64 keeps its padding, so a text of another length is none. */
function isSealed(text: string, bytes: Buffer): boolean {
  return bytes.length >= SEALED_BYTES && text.length % 4 === 0 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)
}
