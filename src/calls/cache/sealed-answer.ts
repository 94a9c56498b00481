import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { StoredAnswer } from './stored-answer.ts'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** How answers are written where others could read: under names that say nothing, encrypted. */
export interface AnswerSealing {
  nameOf(key: string): string
  seal(key: string, answer: StoredAnswer): string
  /** Null: it is damaged, of another key, or was put under another name. */
  unseal(key: string, sealed: string): StoredAnswer | null
}

export function answerSealing(secret: Uint8Array): AnswerSealing {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, 'switchyard cache', purpose, 32))
  const [cipherKey, nameKey] = [derive('answers'), derive('names')]
  return {
    // A plain hash would let readers of the store try out prompts.
    nameOf: (key) => createHmac('sha256', nameKey).update(key).digest('base64url'),
    seal(key, { body, ...head }) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, cipherKey, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(key))
      const text = `${JSON.stringify(head)}\n`
      const sealed = [cipher.update(text, 'utf8'), cipher.update(body), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat([iv, ...sealed]).toString('base64')
    },
    unseal(key, text) {
      try {
        const bytes = Buffer.from(text, 'base64')
        const decipher = createDecipheriv(CIPHER, cipherKey, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        decipher.setAAD(Buffer.from(key)).setAuthTag(bytes.subarray(-TAG_BYTES))
        const plain = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
        const end = plain.indexOf('\n')
        return { ...JSON.parse(plain.toString('utf8', 0, end)), body: plain.subarray(end + 1) }
      } catch {
        return null
      }
    },
  }
}
