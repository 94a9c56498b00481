import type { RefusedField } from '../domain/failure.ts'
import type { Adjustment } from '../domain/request/adjustment.ts'
import type { JsonObject } from '../domain/request/call-request.ts'
import { ChatRequestSchema } from '../domain/request/chat.ts'

/** A caller's field that is sent under the name that the provider requires. */
export interface Rename {
  from: string
  to: string
}

const NAME = /^[a-z][a-z0-9_]{0,63}$/
/** A limit stays a limit only under a name that translators count as one. */
const LIMITS: ReadonlySet<string> = new Set(['max_tokens', 'max_completion_tokens'])
export function isLimitName(name: string): boolean {
  return LIMITS.has(name)
}

/**
 * The limit was sent under both names, because it was unknown which one the server takes: the one to leave out. A
 * server must say that it takes the newer name; every server knows the older one.
 */
export function spareLimit(sent: JsonObject, { name, instead }: RefusedField): Rename | null {
  const to = name === 'max_tokens' ? instead : name === 'max_completion_tokens' ? 'max_tokens' : null
  if (to === null || !LIMITS.has(to) || to === name) return null
  return typeof sent[name] === 'number' && sent[name] === sent[to] ? { from: name, to } : null
}

/** Names with their own meaning: another field's value under one of them would be a different request. */
const TAKEN: ReadonlySet<string> = new Set([...Object.keys(ChatRequestSchema.shape), 'max_output_tokens'])
/** Names without another: the limit of the Responses API would limit nothing under a different one. */
const FIXED: ReadonlySet<string> = new Set(['model', 'max_output_tokens'])

/** The rename that a provider requires, if it sends no more than the caller sent; else null. */
export function usableRename(sent: JsonObject, { name: from, instead: to }: RefusedField): Rename | null {
  if (to === null || !NAME.test(to)) return null
  const isNameFree = LIMITS.has(from) ? LIMITS.has(to) : !TAKEN.has(to)
  return isNameFree && applies(sent, { from, to }) ? { from, to } : null
}

function applies(body: JsonObject, { from, to }: Rename): boolean {
  if (!Object.hasOwn(body, from) || Object.hasOwn(body, to) || FIXED.has(from)) return false
  const value = body[from]
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
}

export function renaming({ from, to }: Rename): Adjustment {
  return { field: to, value: null, reason: 'renamed', from }
}

/** The body with the renames that apply to it, in the same order; unchanged where none does. */
export function renamed(body: JsonObject, renames: readonly Rename[] = []): { body: JsonObject; applied: Rename[] } {
  const applied = renames.length === 0 ? [] : renames.filter((rename) => applies(body, rename))
  if (applied.length === 0) return { body, applied }
  const names = new Map(applied.map(({ from, to }) => [from, to]))
  const entries = Object.entries(body).map(([name, value]) => [names.get(name) ?? name, value] as const)
  return { body: Object.fromEntries(entries), applied }
}
