import type { RefusedField } from '../../domain/failure.ts'

const ABOUT_BETAS = /\bbetas?\b|anthropic[-_]beta/i
/** `name-2025-01-31`, or `name-20250131`. */
const BETA = /\b[a-z][a-z0-9-]{0,63}-20\d\d(?:-\d\d-\d\d|\d{4})\b/g
/** A path, with the shape that a value was taken for between its parts: `tools.0.custom.strict`. */
const UNKNOWN_FIELD = /(?:^|[\s"])([a-z_]\w{0,63}(?:\.\w{1,64}){0,12}): Extra inputs are not permitted/

/** Betas that a cloud refuses by name. `name`: their field in the body; null where a message is about none. */
export function refusedBetas(message: string, name: string): RefusedField | null {
  const values = ABOUT_BETAS.test(message) ? [...new Set(message.match(BETA) ?? [])] : []
  return values.length === 0 ? null : { name, instead: null, values }
}

/** A field that is not known, wherever it is; null where a message is about none. */
export function unknownField(message: string): RefusedField | null {
  const name = UNKNOWN_FIELD.exec(message)?.[1]
  return name === undefined ? null : { name, instead: null, isUnknown: true }
}
