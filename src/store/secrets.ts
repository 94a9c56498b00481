import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StoreError } from './store-error.ts'

/** Keeps provider keys unreadable in the database and its backups. */
export interface Secrets {
  /** `context` names where the value belongs; it cannot be decrypted as anything else. */
  encrypt(plaintext: string, context: string): string
  decrypt(ciphertext: string, context: string): string
  /** Whether it was encrypted with the key that encrypts now. */
  isCurrent(ciphertext: string): boolean
}

interface RingKey {
  id: string
  key: Buffer
}

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
const FILE_NAME = 'secrets.key'
export const SHORTEST_SECRETS_KEY = 16

/**
 * The first key encrypts, all decrypt. Without keys from the environment a random one lives in a file of the data
 * folder; that file still decrypts after keys have been set, so moving from one to the other loses nothing.
 */
export function openSecrets(dataDir: string, keys: readonly string[] | null): Secrets {
  for (const key of keys ?? []) {
    if (key.length < SHORTEST_SECRETS_KEY) {
      throw new StoreError(`SECRETS_KEY: each key must have at least ${SHORTEST_SECRETS_KEY} characters`)
    }
  }
  const fromEnvironment = keys ?? []
  const path = join(dataDir, FILE_NAME)
  const fromFile = readKeyFile(path) ?? (fromEnvironment.length === 0 ? createKeyFile(path) : null)
  const ring = [...fromEnvironment, ...(fromFile === null ? [] : [fromFile])].map(ringKey)
  const [first] = ring
  if (first === undefined) throw new StoreError('SECRETS_KEY is empty')
  return {
    encrypt: (plaintext, context) => encrypt(first, plaintext, context),
    decrypt: (ciphertext, context) => decrypt(ring, ciphertext, context),
    isCurrent: (ciphertext) => ciphertext.startsWith(`v1.${first.id}.`),
  }
}

function readKeyFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new StoreError(`cannot read the secrets key ${path}`, { cause: error })
  }
}

function createKeyFile(path: string): string {
  const key = randomBytes(32).toString('base64url')
  writeFileSync(path, `${key}\n`, { mode: 0o600, flag: 'wx' })
  return key
}

function ringKey(text: string): RingKey {
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', text, 'switchyard secrets', purpose, bytes))
  return { id: derive('id', 4).toString('hex'), key: derive('key', 32) }
}

/** `v1.<key id>.<iv>.<ciphertext and tag>` */
function encrypt(ringKey: RingKey, plaintext: string, context: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, ringKey.key, iv, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `v1.${ringKey.id}.${iv.toString('base64url')}.${sealed.toString('base64url')}`
}

function decrypt(ring: readonly RingKey[], ciphertext: string, context: string): string {
  const [version, id, iv, sealed] = ciphertext.split('.')
  if (version !== 'v1' || iv === undefined || sealed === undefined) {
    throw new StoreError(`the stored ${context} is damaged: set it again`)
  }
  const candidates = ring.filter((key) => key.id === id)
  if (candidates.length === 0) {
    throw new StoreError(
      `the stored ${context} was encrypted with another key: add that key to SECRETS_KEY ` +
        `(or restore ${FILE_NAME}), or set the value again`,
    )
  }
  for (const { key } of candidates) {
    const plaintext = tryDecrypt(key, Buffer.from(iv, 'base64url'), Buffer.from(sealed, 'base64url'), context)
    if (plaintext !== null) return plaintext
  }
  throw new StoreError(`the stored ${context} is damaged: set it again`)
}

function tryDecrypt(key: Buffer, iv: Buffer, sealed: Buffer, context: string): string | null {
  try {
    const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(context))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    return decipher.update(sealed.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return null
  }
}
