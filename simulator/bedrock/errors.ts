import type { Answer } from '../answer.ts'
import type { Cause, CauseContext } from '../family.ts'
import { SCENARIOS } from '../scenarios.ts'

export interface BedrockError {
  status?: number
  type?: string
  message: string
  /** What the model's own server answered. */
  originalStatusCode?: number
}

/** The class is in a header only. */
export function errorAnswer({ status = 400, type = 'ValidationException', message, ...more }: BedrockError): Answer {
  const headers = { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` }
  return { status, headers, body: { message, ...more } }
}

export function failureAnswer(cause: Cause, context: CauseContext): Answer {
  return errorAnswer(typeof cause === 'number' ? errorByStatus(cause, context) : errorByCause(cause, context))
}

/** The same errors within a stream. */
export function exceptionEvent(status: number, body: unknown): { event: string; data: unknown } {
  const type = BY_STATUS[status]?.[1] ?? 'InternalServerException'
  return { event: `:${type.slice(0, 1).toLowerCase()}${type.slice(1)}`, data: body }
}

const BY_STATUS: Record<number, [status: number, type: string, message: string]> = {
  400: [400, 'ValidationException', 'The request is invalid.'],
  401: [403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'],
  402: [400, 'ServiceQuotaExceededException', 'Your account has exceeded its quota.'],
  403: [403, 'AccessDeniedException', "You don't have access to the model with the specified model ID."],
  404: [404, 'ResourceNotFoundException', 'Could not resolve the foundation model from the provided model identifier.'],
  408: [408, 'ModelTimeoutException', 'Model has timed out in processing the request. Try your request again.'],
  409: [400, 'ConflictException', 'The request conflicts with another one.'],
  424: [424, 'ModelErrorException', 'The system encountered an unexpected error during processing.'],
  429: [429, 'ThrottlingException', 'Too many requests, please wait before trying again.'],
  500: [500, 'InternalServerException', 'The system encountered an unexpected error. Try your request again.'],
  503: [503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.'],
}

function errorByStatus(asked: number, { key }: CauseContext): BedrockError {
  if (asked === 401 && key === '') {
    return { status: 403, type: 'MissingAuthenticationTokenException', message: 'Missing Authentication Token' }
  }
  const [status, type, message] = BY_STATUS[asked] ?? [
    asked,
    asked < 500 ? 'ValidationException' : 'InternalServerException',
    'Unexpected error',
  ]
  return { status, type, message }
}

function errorByCause(cause: Exclude<Cause, number>, { model, path }: CauseContext): BedrockError {
  switch (cause) {
    case 'quota':
      return {
        type: 'ServiceQuotaExceededException',
        message: 'Your request exceeds the service quota for your account.',
      }
    case 'context':
      return { message: 'Input is too long for requested model.' }
    case 'filtered':
      return { message: 'Output blocked by content filtering policy' }
    case 'bad-json':
      return { type: 'SerializationException', message: 'The request body is not valid JSON.' }
    case 'bad-media-type':
      return { message: 'The content type is not supported.' }
    case 'unknown-path':
      return { status: 404, type: 'UnknownOperationException', message: `There is no operation at ${path}.` }
    case 'unknown-scenario':
      return {
        status: 404,
        type: 'ResourceNotFoundException',
        message: `${model} names no scenario of the simulator. Known: ${SCENARIOS.map(({ name }) => name).join(', ')}`,
      }
  }
}
