import type { Answer } from '../answer.ts'
import type { Cause, CauseContext } from '../family.ts'
import { SCENARIOS } from '../scenarios.ts'

export interface GeminiError {
  status?: number
  name?: string
  message: string
  details?: object[]
}

export function errorAnswer({ status = 400, name = 'INVALID_ARGUMENT', message, details }: GeminiError): Answer {
  const error = { code: status, message, status: name, ...(details === undefined ? {} : { details }) }
  return { status, body: { error } }
}

export function failureAnswer(cause: Cause, context: CauseContext): Answer {
  return errorAnswer(typeof cause === 'number' ? errorByStatus(cause, context) : errorByCause(cause, context))
}

const BY_STATUS: Record<number, [name: string, message: string]> = {
  400: ['INVALID_ARGUMENT', 'Request contains an invalid argument.'],
  402: ['RESOURCE_EXHAUSTED', 'Your prepaid credit is used up.'],
  403: ['PERMISSION_DENIED', 'The caller does not have permission'],
  429: ['RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'],
  500: ['INTERNAL', 'An internal error has occurred. Please retry or report.'],
  503: ['UNAVAILABLE', 'The model is overloaded. Please try again later.'],
  504: ['DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.'],
}

/** A wrong key is a 400 here. */
const BAD_KEY: GeminiError = {
  message: 'API key not valid. Please pass a valid API key.',
  details: [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
  ],
}

function errorByStatus(status: number, { model, key }: CauseContext): GeminiError {
  if (status === 401 && key !== '') return BAD_KEY
  if (status === 401)
    return { status: 403, name: 'PERMISSION_DENIED', message: 'Method doesn’t allow unregistered callers.' }
  if (status === 404) return unknownModel(model)
  const [name, message] = BY_STATUS[status] ?? ['UNKNOWN', 'Unexpected error']
  return { status, name, message }
}

function errorByCause(cause: Exclude<Cause, number>, { model, path }: CauseContext): GeminiError {
  switch (cause) {
    case 'quota':
      return {
        status: 429,
        name: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota, please check your plan and billing details.',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' },
        ],
      }
    case 'context':
      return { message: 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).' }
    case 'filtered':
      return { message: 'The request was blocked by policy.' }
    case 'bad-json':
    case 'bad-media-type':
      return { message: 'Invalid JSON payload received. Unexpected token.' }
    case 'unknown-path':
      return { status: 404, name: 'NOT_FOUND', message: `The requested URL ${path} was not found on this server.` }
    case 'unknown-scenario':
      return {
        ...unknownModel(model),
        message: `models/${model} names no scenario of the simulator. Known: ${SCENARIOS.map(({ name }) => name).join(', ')}`,
      }
  }
}

export function unknownModel(model: string): GeminiError {
  return { status: 404, name: 'NOT_FOUND', message: `models/${model} is not found for API version v1beta.` }
}
