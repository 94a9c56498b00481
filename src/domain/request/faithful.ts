import { GatewayError } from '../errors.ts'
import { worded } from '../wording/worded.ts'
import type { JsonObject } from './call-request.ts'

/** Deeper than any real schema, and far below the depth that overflows the stack. */
export const MAX_DEPTH = 200

/**
 * Throws for JSON that parses but cannot be forwarded faithfully: numbers too large for a double (they would become
 * null) and nesting that would overflow a recursive reader. Returns how many names its objects have.
 */
export function checkFaithful(value: unknown, depth = 0): number {
  if (typeof value === 'number') {
    if (!Number.isFinite(value))
      throw new GatewayError('invalid_request', worded`The body contains a number that is out of range.`)
    return 0
  }
  if (typeof value !== 'object' || value === null) return 0
  if (depth > MAX_DEPTH) throw tooDeep()
  let names = 0
  if (Array.isArray(value)) for (const item of value) names += checkFaithful(item, depth + 1)
  else for (const key in value) names += 1 + checkFaithful((value as JsonObject)[key], depth + 1)
  return names
}

export function tooDeep(): GatewayError {
  return new GatewayError('invalid_request', worded`The body is nested deeper than ${MAX_DEPTH} levels.`)
}
