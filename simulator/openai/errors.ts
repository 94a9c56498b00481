import type { Answer } from '../answer.ts'
import type { Cause, CauseContext } from '../family.ts'
import { SCENARIOS } from '../scenarios.ts'

export interface OpenaiError {
  status?: number
  message: string
  type?: string | null
  param?: string | null
  code?: string | null
}

export function errorAnswer(error: OpenaiError): Answer {
  const { status = 400, message, type = 'invalid_request_error', param = null, code = null } = error
  return { status, body: { error: { message, type, param, code } } }
}

export function failureAnswer(cause: Cause, context: CauseContext): Answer {
  const page = typeof cause === 'number' ? EDGE_PAGES[cause] : undefined
  if (page)
    return { status: cause as number, headers: { 'content-type': 'text/html', server: 'cloudflare' }, body: page }
  const error = typeof cause === 'number' ? errorByStatus(cause, context) : errorByCause(cause, context)
  return errorAnswer(error)
}

/** These two come from the proxy in front of the vendor, which speaks HTML. */
const EDGE_PAGES: Record<number, string> = {
  502: '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n',
  504: '<html>\r\n<head><title>504 Gateway Time-out</title></head>\r\n<body>\r\n<center><h1>504 Gateway Time-out</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n',
}

function errorByStatus(status: number, { model, method, path, key }: CauseContext): OpenaiError {
  switch (status) {
    case 401:
      return key === '' ? { status, message: NO_KEY } : { status, message: wrongKey(key), code: 'invalid_api_key' }
    case 402:
      return { status, message: 'Payment required.', type: 'insufficient_quota', code: 'billing_not_active' }
    case 403:
      return {
        status,
        message: 'Country, region, or territory not supported',
        type: 'request_forbidden',
        code: 'unsupported_country_region_territory',
      }
    case 404:
      return unknownModel(model)
    case 405:
      return { status, message: `Not allowed to ${method} on ${path}.`, code: 'method_not_supported' }
    case 408:
      return { status, message: 'Request timed out.', type: 'timeout' }
    case 409:
      return { status, message: 'The request conflicted with another request. Please try again.', type: 'conflict' }
    case 413:
      return { status, message: 'The request body is too large.', code: 'request_too_large' }
    case 422:
      return { status, message: 'The request could not be processed.' }
    case 429:
      return {
        status,
        message: `Rate limit reached for ${model} in organization org-simulator on requests per min (RPM): Limit 500, Used 500, Requested 1. Please try again in 120ms.`,
        type: 'requests',
        code: 'rate_limit_exceeded',
      }
    case 503:
    case 529:
      return {
        status,
        message: 'The engine is currently overloaded, please try again later',
        type: 'server_error',
        code: 'server_is_overloaded',
      }
    default:
      return status >= 500
        ? {
            status,
            message: 'The server had an error while processing your request. Sorry about that!',
            type: 'server_error',
          }
        : { status, message: 'The request is invalid.' }
  }
}

function errorByCause(cause: Exclude<Cause, number>, { model, method, path }: CauseContext): OpenaiError {
  switch (cause) {
    case 'quota':
      return {
        status: 429,
        message:
          'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      }
    case 'context':
      return contextExceeded(128_000, 130_121)
    case 'filtered':
      return {
        message:
          'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.',
        code: 'invalid_prompt',
      }
    case 'bad-json':
      return {
        message:
          "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
      }
    case 'bad-media-type':
      return {
        status: 415,
        message: "Unsupported content type. This API method only accepts 'application/json' requests.",
        code: 'unsupported_content_type',
      }
    case 'unknown-path':
      return { status: 404, message: `Invalid URL (${method} ${path})` }
    case 'unknown-scenario':
      return {
        ...unknownModel(model),
        message: `The model \`${model}\` names no scenario of the simulator. Known: ${SCENARIOS.map(({ name }) => name).join(', ')}`,
      }
  }
}

export function unknownModel(model: string): OpenaiError {
  return {
    status: 404,
    message: `The model \`${model}\` does not exist or you do not have access to it.`,
    code: 'model_not_found',
  }
}

export function contextExceeded(window: number, tokens: number): OpenaiError {
  return {
    message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    param: 'messages',
    code: 'context_length_exceeded',
  }
}

const NO_KEY =
  "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."

/** The vendor echoes the key with its middle masked; a gateway must not show even that to its callers. */
function wrongKey(key: string): string {
  const masked = `${key.slice(0, 8)}${'*'.repeat(Math.max(4, key.length - 12))}${key.slice(-4)}`
  return `Incorrect API key provided: ${masked}. You can find your API key at https://platform.openai.com/account/api-keys.`
}
