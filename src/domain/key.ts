import { createHash, randomBytes } from 'node:crypto'

export type KeyKind = 'live' | 'admin'

export interface Key {
  id: string
  kind: KeyKind
  /** Null for an admin key: it stands above workspaces. */
  workspace: string | null
  name: string
  prefix: string
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
}

/** What is stored of a key. A SHA-256 suffices: keys carry 190 bits of chance, so there is nothing to guess. */
export function hashKey(value: string): string {
  return createHash('sha256').update(value).digest('hex')
}

export function keyPrefix(value: string): string {
  return value.slice(0, 12)
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function newKeyValue(kind: KeyKind): string {
  let suffix = ''
  while (suffix.length < 32) {
    for (const byte of randomBytes(48)) {
      // 248 is the largest multiple of 62 in a byte: taking the rest would favour the first letters.
      if (byte < 248 && suffix.length < 32) suffix += BASE62.charAt(byte % 62)
    }
  }
  return `gw_${kind}_${suffix}`
}

export function isUsable(key: Key, now: number): boolean {
  return (key.revokedAt === null || key.revokedAt > now) && (key.expiresAt === null || key.expiresAt > now)
}
