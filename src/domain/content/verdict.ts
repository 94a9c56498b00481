import { isJsonObject, type JsonObject } from '../request/call-request.ts'
import type { Masked } from './placeholders.ts'

/** `reason`: a word for the log, never what was said. */
export type Verdict = Allowed | { action: 'block'; message: string | null; reason: string | null }

/** The call continues, with these changes; null: none. */
export interface Allowed {
  action: 'allow'
  /** The request. */
  body: JsonObject | null
  /** The route or the model that is asked. */
  model: string | null
  tags: JsonObject | null
  /** What the caller reads in the answer in place of placeholders. */
  restore: Masked | null
}

export const NO_VERDICT = 'it answered without a verdict'
const LONGEST_MESSAGE = 500
const LONGEST_MODEL = 512
const PLACEHOLDERS = { most: 1_000, shortest: 3, longest: 100, longestValue: 4_000 } as const

/** The verdict, or why there is none, without quoting the answer. */
export function verdictOf(answer: unknown): Verdict | string {
  if (!isJsonObject(answer)) return NO_VERDICT
  const { action, message, reason } = answer
  if (action === 'allow') return allowed(answer)
  if (action !== 'block') return NO_VERDICT
  return {
    action,
    message: typeof message === 'string' && message !== '' ? message.slice(0, LONGEST_MESSAGE) : null,
    reason: typeof reason === 'string' && /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(reason) ? reason : null,
  }
}

/** All of it or nothing: a request of which only a part was masked must not go on. */
function allowed({ body = null, model = null, tags = null, restore = null }: JsonObject): Allowed | string {
  if (body !== null && !isJsonObject(body)) return 'its body is no JSON object'
  if (model !== null && !isName(model)) return 'its model is no name'
  if (tags !== null && !isJsonObject(tags)) return 'its tags are no JSON object'
  const problem = restore === null ? null : restoreProblem(restore)
  return problem ?? { action: 'allow', body, model, tags, restore: restore as Masked | null }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_MODEL
}

function restoreProblem(restore: unknown): string | null {
  const { most, shortest, longest, longestValue } = PLACEHOLDERS
  if (!isJsonObject(restore)) return 'its restore is no JSON object'
  const pairs = Object.entries(restore)
  if (pairs.length > most) return `its restore has ${pairs.length} placeholders; ${most} are allowed`
  for (const [placeholder, value] of pairs) {
    if (placeholder.length < shortest || placeholder.length > longest)
      return `a placeholder in its restore has ${placeholder.length} characters; ${shortest} to ${longest} are allowed`
    if (typeof value !== 'string') return 'a value in its restore is no text'
    if (value.length > longestValue)
      return `a value in its restore has ${value.length} characters; ${longestValue} are allowed`
  }
  return null
}
