import type { RefusedField } from '../../domain/failure.ts'

const FIELD = '[a-z][a-z0-9_]{0,63}'
/** `text.verbosity`, `input[3].id`, `input.3.id` */
const PATH = `${FIELD}(?:\\.${FIELD}|\\.\\d{1,6}|\\[\\d{1,6}\\]){0,12}`
const CODES = new Set(['unsupported_parameter', 'unknown_parameter'])
/** Of servers that send no code: "Unrecognized request argument supplied: x", "Unknown parameter: 'x'." */
const REFUSED = new RegExp(
  `^(?:unsupported|unknown|unrecognized) (?:parameter|request argument supplied): ['"\`]?(${PATH})\\b`,
  'i',
)
const INSTEAD = new RegExp(`\\buse ['"\`](${FIELD})['"\`] instead\\b`, 'i')
/** "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported." */
const ONE_LIMIT = /\bmax_tokens\b.*\bmax_completion_tokens\b.*\b(?:same time|both|together|mutually)\b/i
const WHOLE_PATH = new RegExp(`^${PATH}$`)
/** Of a model that does not think, to an agent that asks for what was thought. */
const NO_ENCRYPTED = /^encrypted content is not supported with this model/i

/** The field that a 400 refuses, with the name that it requires instead; null where it names none. */
export function refusedField(error: { message: string; code: string; param: string }): RefusedField | null {
  if (ONE_LIMIT.test(error.message)) return { name: 'max_tokens', instead: 'max_completion_tokens' }
  if (NO_ENCRYPTED.test(error.message)) {
    return { name: 'include', instead: null, values: ['reasoning.encrypted_content'] }
  }
  const named = CODES.has(error.code) ? error.param : (REFUSED.exec(error.message)?.[1] ?? '')
  if (!WHOLE_PATH.test(named)) return null
  return { name: named, instead: INSTEAD.exec(error.message)?.[1] ?? null, isUnknown: true }
}
