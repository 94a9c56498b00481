import type { RefusedField } from '../../domain/failure.ts'

const FIELD = '[a-z][a-z0-9_]{0,63}'
const CODES = new Set(['unsupported_parameter', 'unknown_parameter'])
/** Of servers that send no code: "Unrecognized request argument supplied: x", "Unknown parameter: 'x'." */
const REFUSED = new RegExp(
  `^(?:unsupported|unknown|unrecognized) (?:parameter|request argument supplied): ['"\`]?(${FIELD})\\b`,
  'i',
)
const INSTEAD = new RegExp(`\\buse ['"\`](${FIELD})['"\`] instead\\b`, 'i')
/** "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported." */
const ONE_LIMIT = /\bmax_tokens\b.*\bmax_completion_tokens\b.*\b(?:same time|both|together|mutually)\b/i
const WHOLE_FIELD = new RegExp(`^${FIELD}$`)

/** The field that a 400 refuses, with the name that it requires instead; null where it names none. */
export function refusedField(error: { message: string; code: string; param: string }): RefusedField | null {
  if (ONE_LIMIT.test(error.message)) return { name: 'max_tokens', instead: 'max_completion_tokens' }
  const named = CODES.has(error.code) ? error.param : (REFUSED.exec(error.message)?.[1] ?? '')
  if (!WHOLE_FIELD.test(named)) return null
  return { name: named, instead: INSTEAD.exec(error.message)?.[1] ?? null }
}
