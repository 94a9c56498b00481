import type { ErrorCode, ErrorFormat, GatewayError } from '../../domain/errors.ts'
import { NO_THREAD, NO_THREAD_DETAILS } from './no-thread.ts'

/** The format's own kinds of errors, by ours. Its clients choose the class of the exception by the status. */
const TYPES: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'invalid_request_error',
  unsupported_parameter: 'invalid_request_error',
  context_length_exceeded: 'invalid_request_error',
  content_filtered: 'invalid_request_error',
  blocked_by_guardrail: 'invalid_request_error',
  loop_stopped: 'invalid_request_error',
  unauthorized: 'authentication_error',
  budget_exceeded: 'billing_error',
  price_unknown: 'billing_error',
  length_unknown: 'billing_error',
  forbidden: 'permission_error',
  model_not_found: 'not_found_error',
  not_found: 'not_found_error',
  method_not_allowed: 'invalid_request_error',
  request_timeout: 'timeout_error',
  conflict: 'conflict_error',
  managed_by_config: 'conflict_error',
  precondition_failed: 'invalid_request_error',
  request_too_large: 'request_too_large',
  unsupported_media_type: 'invalid_request_error',
  websocket_not_offered: 'invalid_request_error',
  rate_limited: 'rate_limit_error',
  key_rate_limited: 'rate_limit_error',
  loop_slowed: 'rate_limit_error',
  too_many_attempts: 'rate_limit_error',
  internal_error: 'api_error',
  not_implemented: 'invalid_request_error',
  upstream_error: 'api_error',
  provider_auth_error: 'api_error',
  overloaded: 'overloaded_error',
  buffer_full: 'overloaded_error',
  log_full: 'overloaded_error',
  database_unavailable: 'overloaded_error',
  limits_unavailable: 'overloaded_error',
  guardrail_unavailable: 'overloaded_error',
  provider_quota_exceeded: 'api_error',
  provider_overloaded: 'overloaded_error',
  provider_not_configured: 'api_error',
  no_provider_available: 'overloaded_error',
  upstream_timeout: 'timeout_error',
}

export const messagesError: ErrorFormat = (error, requestId) => ({
  status: error.status,
  // Agents recover from some mistakes by the provider's exact words.
  body: error.original ?? bodyOf(error, requestId),
})

/** The frame after which a stream ends. Clients do not look at an error that has no event of its own. */
export function errorFrame(error: GatewayError, requestId: string): string {
  return `event: error\ndata: ${JSON.stringify(bodyOf(error, requestId))}\n\n`
}

/** `code` and, usually, `details` are ours: clients ignore them. */
function bodyOf(error: GatewayError, requestId: string): object {
  const { code } = error
  const message = messageOf(error)
  const details = message.includes(NO_THREAD) ? NO_THREAD_DETAILS : error.details
  const words = { type: TYPES[code], message, code, ...(details === undefined ? {} : { details }) }
  return { type: 'error', error: words, request_id: requestId }
}

const TOO_LONG = 'prompt is too long'

/** Agents shorten the conversation when they read these words, by as much as the figures say. */
function messageOf({ code, message }: GatewayError): string {
  if (code !== 'context_length_exceeded' || message.includes(TOO_LONG)) return message
  const most = figureIn(message, /(?:maximum context length|context window)[^\d]{0,40}([\d,]+)/i)
  const tokens = figureIn(
    message,
    /(?:resulted in|requested|contains?|has|of) (?:about |at least )?([\d,]+) (?:input )?tokens/i,
  )
  if (most === null || tokens === null || tokens <= most) return `${TOO_LONG}: ${message}`
  return `${TOO_LONG}: ${tokens} tokens > ${most} maximum`
}

function figureIn(message: string, pattern: RegExp): number | null {
  const figure = Number(pattern.exec(message)?.[1]?.replaceAll(',', ''))
  return Number.isSafeInteger(figure) && figure > 0 ? figure : null
}
