import type { ErrorCode, GatewayError } from '../../domain/errors.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'

/** What clients of this format know how to handle. */
const CODES: Partial<Record<ErrorCode, string>> = {
  rate_limited: 'rate_limit_exceeded',
  key_rate_limited: 'rate_limit_exceeded',
  loop_slowed: 'rate_limit_exceeded',
  context_length_exceeded: 'context_length_exceeded',
  content_filtered: 'invalid_prompt',
  blocked_by_guardrail: 'invalid_prompt',
  loop_stopped: 'invalid_prompt',
  invalid_request: 'invalid_prompt',
  unsupported_parameter: 'invalid_prompt',
}

/**
 * The `error` of a response that has failed. Clients read the time to wait out of its message, and repeat what is the
 * server's fault: what stays refused is the request's.
 */
export function failedError({ code, message, retryAfterSeconds, isFinal }: GatewayError): JsonObject {
  const wait = retryAfterSeconds === undefined ? '' : ` Please try again in ${retryAfterSeconds}s.`
  return { code: CODES[code] ?? (isFinal ? 'invalid_prompt' : 'server_error'), message: message + wait }
}
