import type { Answer } from '../answer.ts'
import type { Cause, CauseContext } from '../family.ts'
import { SCENARIOS } from '../scenarios.ts'

export interface AnthropicError {
  status?: number
  type?: string
  message: string
  /** The stable cause that the vendor sends since November 2026. */
  errorCode?: string
}

/** The server adds `request_id`, which must equal the header. */
export function errorAnswer(error: AnthropicError): Answer {
  const { status = 400, type = 'invalid_request_error', message, errorCode } = error
  const details = errorCode === undefined ? {} : { details: { error_code: errorCode } }
  const headers: Record<string, string> = status === 400 ? { 'x-should-retry': 'false' } : {}
  return { status, headers, body: { type: 'error', error: { type, message, ...details } } }
}

export function failureAnswer(cause: Cause, context: CauseContext): Answer {
  if (cause === 502)
    return { status: 502, headers: { 'content-type': 'text/html', server: 'cloudflare' }, body: PAGE_502 }
  return errorAnswer(typeof cause === 'number' ? errorByStatus(cause, context) : errorByCause(cause, context))
}

/** Comes from the proxy in front of the vendor, which speaks HTML. */
const PAGE_502 =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n'

const BY_STATUS: Record<number, [type: string, message: string]> = {
  400: ['invalid_request_error', 'The request is invalid.'],
  402: ['billing_error', 'Your organization has an unpaid invoice.'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  405: ['invalid_request_error', 'Method Not Allowed'],
  408: ['timeout_error', 'Request timed out'],
  409: ['conflict_error', 'The request conflicts with the current state of the resource.'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  429: [
    'rate_limit_error',
    'This request would exceed the rate limit for your organization of 50 requests per minute. Please reduce the prompt length or the maximum tokens requested, or try again later.',
  ],
  500: ['api_error', 'Internal server error'],
  503: ['overloaded_error', 'Overloaded'],
  504: ['timeout_error', 'The request timed out while processing.'],
  529: ['overloaded_error', 'Overloaded'],
}

function errorByStatus(status: number, { model, key }: CauseContext): AnthropicError {
  if (status === 401) {
    return {
      status,
      type: 'authentication_error',
      message: key === '' ? 'x-api-key header is required' : 'invalid x-api-key',
    }
  }
  if (status === 404) return unknownModel(model)
  const [type, message] = BY_STATUS[status] ?? [
    status < 500 ? 'invalid_request_error' : 'api_error',
    'Unexpected error',
  ]
  return { status, type, message }
}

function errorByCause(cause: Exclude<Cause, number>, { model }: CauseContext): AnthropicError {
  switch (cause) {
    case 'quota':
      return {
        message:
          'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      }
    case 'context':
      return { message: 'prompt is too long: 209713 tokens > 200000 maximum' }
    case 'filtered':
      return { message: 'Output blocked by content filtering policy' }
    case 'bad-json':
      return { message: 'The request body is not valid JSON: expected value at line 1 column 1' }
    case 'bad-media-type':
      return { message: 'content-type: must be application/json' }
    case 'unknown-path':
      return { status: 404, type: 'not_found_error', message: 'Not Found' }
    case 'unknown-scenario':
      return {
        ...unknownModel(model),
        message: `model: ${model} names no scenario of the simulator. Known: ${SCENARIOS.map(({ name }) => name).join(', ')}`,
      }
  }
}

export function unknownModel(model: string): AnthropicError {
  return { status: 404, type: 'not_found_error', message: `model: ${model}` }
}
