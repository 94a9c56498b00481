import { hash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Access } from './access.ts'
import type { Limits } from './limits.ts'
import type { TokenHolder } from './tokens/token-rules.ts'
import { UNPRINTABLE } from './wording/unprintable.ts'

export type KeyKind = 'live' | 'admin'

export interface Key {
  id: string
  kind: KeyKind
  /** Null for an admin key: it belongs to no workspace. */
  workspace: string | null
  name: string
  /** Of its newest value. */
  prefix: string
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  /** When the key was paused; null: its calls are served. */
  pausedAt: number | null
  /** Names and patterns as in `AllowedModels`; null: every model. */
  allowedModels: readonly string[] | null
  limits: Limits | null
  /** What an admin key may do; left out of a gateway key, which may do nothing of the kind. */
  access?: Access
}

/** A key for calls: it always has a workspace. */
export type LiveKey = Key & {
  workspace: string
  /** Who calls with it, as a verified token says; left out where the value of the key itself was sent. */
  holder?: TokenHolder
}

/** A key for the management API. */
export type AdminKey = Key & { access: Access }

/** One secret of a key. Values change; limits, spend, usage and log belong to the key. */
export interface KeyValue {
  id: string
  /** Refused from then on; null: works as long as the key. */
  endsAt: number | null
  key: Key
}

/** Aliases or direct ids; a trailing `*` matches every name with that prefix. An empty list is rejected. */
export const AllowedModels = z
  .array(
    z
      .string()
      .max(256)
      .regex(
        new RegExp(`^(?!\\s)[^*${UNPRINTABLE}]*(?:\\*|(?<!\\s))$`),
        'printable characters without a space at the ends; "*" only at the end',
      )
      .min(1),
  )
  .min(1, 'name at least one model, or omit the field to allow all')
  .max(200)

/** What is stored of a value. A plain SHA-256 is enough, because the values are random and cannot be guessed. */
export function hashKey(value: string): string {
  return hash('sha256', value, 'hex')
}

export function keyPrefix(value: string): string {
  return value.slice(0, 12)
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function newKeyValue(kind: KeyKind): string {
  return `gw_${kind}_${randomLetters()}`
}

/** 32 of them, from the letters and digits. */
export function randomLetters(): string {
  let suffix = ''
  while (suffix.length < 32) {
    for (const byte of randomBytes(48)) {
      // 248 is the largest multiple of 62 in a byte: using the rest would favour the first letters.
      if (byte < 248 && suffix.length < 32) suffix += BASE62.charAt(byte % 62)
    }
  }
  return suffix
}

/** Neither revoked nor expired. A paused key counts as usable: it can be resumed. */
export function isUsable(key: Key, now: number): boolean {
  return (key.revokedAt === null || key.revokedAt > now) && (key.expiresAt === null || key.expiresAt > now)
}

export function isValueUsable({ key, endsAt }: KeyValue, now: number): boolean {
  return (endsAt === null || endsAt > now) && isUsable(key, now)
}

/** By the name that the caller sends: an allowed route may lead to models that are not allowed directly. */
export function mayUse(key: Pick<Key, 'allowedModels'>, model: string): boolean {
  if (key.allowedModels === null) return true
  return key.allowedModels.some((pattern) =>
    pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern,
  )
}
