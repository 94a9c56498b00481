import type { RefusedField } from '../../domain/failure.ts'

const ABOUT_BETAS = /\bbetas?\b|anthropic[-_]beta/i
const BETA = /\b[a-z][a-z0-9-]*-20\d\d-\d\d-\d\d\b/g

/** Betas that a cloud refuses by name. `name`: their field in the body; null where a message is about none. */
export function refusedBetas(message: string, name: string): RefusedField | null {
  const values = ABOUT_BETAS.test(message) ? [...new Set(message.match(BETA) ?? [])] : []
  return values.length === 0 ? null : { name, instead: null, values }
}
