import type { RefusedField } from '../domain/failure.ts'
import type { Adjustment } from '../domain/request/adjustment.ts'
import type { JsonObject } from '../domain/request/call-request.ts'
import { ChatRequestSchema } from '../domain/request/chat.ts'

/** A field of the caller's that goes out under the name that the provider asked for. */
export interface Rename {
  from: string
  to: string
}

const NAME = /^[a-z][a-z0-9_]{0,63}$/
/** A limit stays one only under a name that translators count as one. */
const LIMITS: ReadonlySet<string> = new Set(['max_tokens', 'max_completion_tokens'])
/** Names that mean something else already: a value of another field under one of them would be another request. */
const TAKEN: ReadonlySet<string> = new Set(Object.keys(ChatRequestSchema.shape))

/** What a provider asked for, where following it sends no more than the caller sent; null where it would. */
export function usableRename(sent: JsonObject, { name: from, instead: to }: RefusedField): Rename | null {
  if (to === null || !NAME.test(to)) return null
  const isNameFree = LIMITS.has(from) ? LIMITS.has(to) : !TAKEN.has(to)
  return isNameFree && applies(sent, { from, to }) ? { from, to } : null
}

function applies(body: JsonObject, { from, to }: Rename): boolean {
  if (!Object.hasOwn(body, from) || Object.hasOwn(body, to) || from === 'model') return false
  const value = body[from]
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
}

export function renaming({ from, to }: Rename): Adjustment {
  return { field: to, value: null, reason: 'renamed', from }
}

/** The body with those of the renames that apply to it, in the same order; itself where none does. */
export function renamed(body: JsonObject, renames: readonly Rename[] = []): { body: JsonObject; applied: Rename[] } {
  const applied = renames.filter((rename) => applies(body, rename))
  if (applied.length === 0) return { body, applied }
  const names = new Map(applied.map(({ from, to }) => [from, to]))
  const entries = Object.entries(body).map(([name, value]) => [names.get(name) ?? name, value] as const)
  return { body: Object.fromEntries(entries), applied }
}
