import type { z } from 'zod'
import { ERRORS, scrubMessage } from '../../domain/errors.ts'
import { type Failure, type FailureCode, failure, type Retry } from '../../domain/failure.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { named, worded } from '../../domain/wording/worded.ts'
import { refusedField } from './refused-field.ts'
import { BareError, ErrorEnvelope, type ErrorObject, ValidationErrors } from './wire.ts'

interface WireError {
  message: string
  type: string
  code: string
  param: string
  /** A closer reason, where one is given. */
  inner?: string
}

const QUOTA_CODES = new Set([
  'insufficient_quota',
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
  'project_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
  'billing_hard_limit_reached',
  'billing_not_active',
])
const UNSUPPORTED_CODES = new Set(['unsupported_parameter', 'unsupported_value', 'invalid_parameter_combination'])
const FILTER_CODES = new Set([
  'content_policy_violation',
  'content_filter',
  'invalid_prompt',
  'moderation_blocked',
  'ResponsibleAIPolicyViolation',
])
const OVERLOADED_CODES = new Set(['server_is_overloaded', 'slow_down'])

const TOO_LONG =
  /maximum context length|exceeds the context window|maximum (?:model|prompt) length|tokens? \+ `?max_new_tokens`? must be/i
/** The model made an invalid call: a retry may do better. */
const BAD_CALL = 'tool_use_failed'
const NO_CREDIT = /\bcredits?\b|spending limit|insufficient balance/i
const UNSUPPORTED = /Function tools with reasoning_effort are not supported|requires --enable-auto-tool-choice/i
const ONE_REQUEST_OVER_LIMIT = /Request too large.*tokens per min/is

/** By meaning, not only by status. */
export function failureFromWire(status: number, body: unknown): Failure {
  const error = readError(body) ??
    validationError(body) ??
    bareError(body) ?? { message: '', type: '', code: '', param: '' }
  const [code, deviation] = meaning(status, error)
  const message =
    error.message === '' ? worded`${named(ERRORS[code].text)} (HTTP ${status})` : scrubMessage(explained(status, error))
  const field = status === 400 || status === 422 ? refusedField(error) : null
  return failure(code, message, status, {
    refusedField: field,
    said: { codes: [error.code, error.inner, error.type], param: error.param },
    ...(deviation === undefined ? {} : { retry: deviation }),
  })
}

/** Azure has one answer for two mistakes. */
function explained(status: number, { message, code }: WireError): string {
  const isEither = status === 404 && (code === 'DeploymentNotFound' || /^resource not found/i.test(message))
  if (!isEither) return message
  return `${message} Either no deployment has this name, or the path or the api-version of the provider is wrong.`
}

function meaning(status: number, error: WireError): [FailureCode, Retry?] {
  switch (status) {
    case 400:
    case 422:
      return error.code === BAD_CALL ? ['upstream_error', 'once'] : [badRequest(error)]
    case 401:
      return ['provider_auth_error']
    case 403:
      return [forbidden(error)]
    // Undocumented: compatible vendors use this status when the account is empty.
    case 402:
      return ['provider_quota_exceeded']
    case 404:
      return ['model_not_found']
    case 408:
    case 409:
      return ['upstream_error']
    case 413:
      return error.code === 'rate_limit_exceeded' ? ['rate_limited', 'no'] : ['request_too_large']
    case 429:
      return tooManyRequests(error)
    // 498: the capacity of a cheaper tier is used up.
    case 498:
    case 503:
      return ['provider_overloaded']
    case 504:
      return ['upstream_timeout', 'yes']
  }
  if (status >= 500) return ['upstream_error']
  // A redirect would send our credentials elsewhere: it is not followed, and a retry would not change it.
  return status >= 400 ? ['invalid_request'] : ['upstream_error', 'no']
}

function badRequest(error: WireError): FailureCode {
  if (error.code === 'context_length_exceeded' || TOO_LONG.test(error.message)) return 'context_length_exceeded'
  if (UNSUPPORTED_CODES.has(error.code) || UNSUPPORTED.test(error.message)) return 'unsupported_parameter'
  if (FILTER_CODES.has(error.code) || FILTER_CODES.has(error.inner ?? '')) return 'content_filtered'
  return 'invalid_request'
}

/** Not always the key: some vendors say so of an empty account, or of a flagged prompt. */
function forbidden({ message, inner }: WireError): FailureCode {
  if (inner === FLAGGED) return 'content_filtered'
  return NO_CREDIT.test(message) ? 'provider_quota_exceeded' : 'provider_auth_error'
}

const FLAGGED = 'flagged'

/** A 429 is not always a rate limit: an exhausted account shares the status. */
function tooManyRequests(error: WireError): [FailureCode, Retry?] {
  if (error.type === 'insufficient_quota' || QUOTA_CODES.has(error.code)) return ['provider_quota_exceeded']
  if (ONE_REQUEST_OVER_LIMIT.test(error.message)) return ['rate_limited', 'no']
  return ['rate_limited']
}

/** An error inside a 2xx counts as its own status; null when the body has none. */
export function failureFromErrorBody(body: JsonObject): Failure | null {
  const error = readError(body)
  if (error === null) return null
  const message = error.message === '' ? ERRORS.upstream_error.text : scrubMessage(error.message)
  return failureFromWire(statusOf(error) ?? 500, {
    ...body,
    error: typeof body['error'] === 'string' ? message : { ...(body['error'] as JsonObject), message },
  })
}

function statusOf(error: WireError): number | null {
  if (error.type === 'insufficient_quota' || QUOTA_CODES.has(error.code)) return 429
  if (error.code === 'rate_limit_exceeded' || error.type === 'rate_limit_error') return 429
  if (OVERLOADED_CODES.has(error.code) || error.type === 'overloaded_error') return 503
  if (error.code === 'invalid_api_key' || error.type === 'authentication_error') return 401
  if (error.code === 'model_not_found') return 404
  if (error.type === 'invalid_request_error' || badRequest(error) !== 'invalid_request') return 400
  const numeric = Number(error.code)
  return Number.isInteger(numeric) && numeric >= 400 && numeric < 600 ? numeric : null
}

/** Of compatible servers that list what is wrong with the body: the first field. */
function validationError(body: unknown): WireError | null {
  const parsed = ValidationErrors.safeParse(body)
  if (!parsed.success) return null
  const [{ loc, msg, type }] = 'detail' in parsed.data ? parsed.data.detail : parsed.data.message.detail
  const param = loc.slice(1).join('.')
  return { message: `${param}: ${msg}`, type: '', code: type === 'extra_forbidden' ? 'unknown_parameter' : '', param }
}

function readError(body: unknown): WireError | null {
  const parsed = ErrorEnvelope.safeParse(body)
  if (!parsed.success) return null
  const { error } = parsed.data
  return typeof error === 'string' ? { message: error, type: '', code: '', param: '' } : wireError(error)
}

/** The error is the body. An answer has no message. */
function bareError(body: unknown): WireError | null {
  const parsed = BareError.safeParse(body)
  return parsed.success ? wireError(parsed.data) : null
}

function wireError({ message, type, code, param, innererror, metadata }: z.infer<typeof ErrorObject>): WireError {
  const inner = (metadata?.flagged_input ?? null) !== null ? FLAGGED : (innererror?.code ?? '')
  return { message: message ?? '', type: type ?? '', code: String(code ?? ''), param: param ?? '', inner }
}
