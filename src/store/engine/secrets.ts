import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StoreError } from './store-error.ts'

/** Keeps provider keys unreadable in the database and its backups, and signs what we must know again as our own. */
export interface Secrets {
  /** `context` names where the value belongs; it cannot be decrypted as anything else. */
  encrypt(plaintext: string, context: string): string
  decrypt(ciphertext: string, context: string): string
  /** Whether it was encrypted with the key that encrypts now. */
  isCurrent(ciphertext: string): boolean
  /** A signature that holds for this text in this context only. */
  sign(text: string, context: string): string
  isSigned(text: string, signature: string, context: string): boolean
  /** Secrets to share with another service, one per key: stable as long as the key exists. */
  derived(context: string): string[]
  /** For what callers keep for us and bring back (domain/request/sealing.ts). */
  sealingKeys: readonly Uint8Array[]
  /** For what calls say, where a workspace stores it: of SECRETS_KEY only. The first one encrypts. */
  contentKeys: readonly ContentKey[]
}

export interface ContentKey {
  id: string
  key: Uint8Array
}

interface RingKey {
  id: string
  key: Buffer
  signingKey: Buffer
  sealingKey: Uint8Array
  contentKey: Uint8Array
}

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
export const SECRETS_FILE = 'secrets.key'
export const SHORTEST_SECRETS_KEY = 16

/**
 * The first key encrypts and signs, all decrypt and verify. Without keys from the environment a random one lives in a file of the data
 * folder; that file still decrypts after keys have been set, so moving from one to the other loses nothing.
 */
export function openSecrets(dataDir: string, keys: readonly string[] | null): Secrets {
  for (const key of keys ?? []) {
    if (key.length < SHORTEST_SECRETS_KEY) {
      throw new StoreError(`SECRETS_KEY: each key must have at least ${SHORTEST_SECRETS_KEY} characters`)
    }
  }
  const fromEnvironment = keys ?? []
  const path = join(dataDir, SECRETS_FILE)
  const fromFile = readKeyFile(path) ?? (fromEnvironment.length === 0 ? createKeyFile(path) : null)
  const ring = [...fromEnvironment, ...(fromFile === null ? [] : [fromFile])].map(ringKey)
  const [first] = ring
  if (first === undefined) throw new StoreError('SECRETS_KEY is empty')
  return {
    encrypt: (plaintext, context) => encrypt(first, plaintext, context),
    decrypt: (ciphertext, context) => decrypt(ring, ciphertext, context),
    isCurrent: (ciphertext) => ciphertext.startsWith(`v1.${first.id}.`),
    sign: (text, context) => signatureOf(first, text, context).toString('base64url'),
    isSigned(text, signature, context) {
      const given = Buffer.from(signature, 'base64url')
      return ring.some((key) => isEqual(given, signatureOf(key, text, context)))
    },
    derived: (context) => ring.map((key) => signatureOf(key, 'derived', context).toString('base64')),
    sealingKeys: ring.map(({ sealingKey }) => sealingKey),
    contentKeys: ring.slice(0, fromEnvironment.length).map(({ id, contentKey: key }) => ({ id, key })),
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
  return {
    id: derive('id', 4).toString('hex'),
    key: derive('key', 32),
    signingKey: derive('signing key', 32),
    // With its own buffer: it goes to another thread with the calls that need it.
    sealingKey: new Uint8Array(derive('sealing key', 32)),
    contentKey: new Uint8Array(derive('content key', 32)),
  }
}

function signatureOf({ signingKey }: RingKey, text: string, context: string): Buffer {
  return createHmac('sha256', signingKey)
    .update(JSON.stringify([context, text]))
    .digest()
}

/** In constant time, so that a forger does not learn how far a guess is right. */
function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected)
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
        `(or restore ${SECRETS_FILE}), or set the value again`,
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
