import { hash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Limits } from './limits.ts'

export type KeyKind = 'live' | 'admin'

export interface Key {
  id: string
  kind: KeyKind
  /** Null for an admin key: it stands above workspaces. */
  workspace: string | null
  name: string
  /** Of its newest value. */
  prefix: string
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  /** Since when its calls are turned away for a while; null: they are served. */
  pausedAt: number | null
  /** Names and patterns as `AllowedModels` takes them; null: every model. */
  allowedModels: readonly string[] | null
  limits: Limits | null
}

/** A key that calls are made with: it always has a workspace. */
export type LiveKey = Key & { workspace: string }

/** One secret of a key. Values come and go; limits, spend, usage and log belong to the key. */
export interface KeyValue {
  id: string
  /** Refused from then on; null: works as long as the key. */
  endsAt: number | null
  key: Key
}

/** Aliases or direct ids; one that ends in `*` stands for all that begin like it. An empty list is a mistake. */
export const AllowedModels = z
  .array(
    z
      .string()
      .max(256)
      .regex(/^[^\s*]*[^\s]$/, 'a name without blanks; "*" only at its end'),
  )
  .min(1, 'name at least one model, or leave it out to allow all')
  .max(200)

/** What is stored of a value. A SHA-256 suffices: keys carry 190 bits of chance, so there is nothing to guess. */
export function hashKey(value: string): string {
  return hash('sha256', value, 'hex')
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

/** Neither revoked nor expired. A paused key is usable: it only waits to be resumed. */
export function isUsable(key: Key, now: number): boolean {
  return (key.revokedAt === null || key.revokedAt > now) && (key.expiresAt === null || key.expiresAt > now)
}

export function isValueUsable({ key, endsAt }: KeyValue, now: number): boolean {
  return (endsAt === null || endsAt > now) && isUsable(key, now)
}

/** By the name that the caller sends: a route that is allowed may lead to models that are not. */
export function mayUse(key: Pick<Key, 'allowedModels'>, model: string): boolean {
  if (key.allowedModels === null) return true
  return key.allowedModels.some((pattern) =>
    pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern,
  )
}
