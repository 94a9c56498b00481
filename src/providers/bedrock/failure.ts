import { scrubMessage } from '../../domain/errors.ts'
import { type Failure, type FailureCode, failure, type Retry } from '../../domain/failure.ts'
import { isJsonObject } from '../../domain/request/call-request.ts'
import { named, type Worded, worded } from '../../domain/wording/worded.ts'
import type { ResponseHeader } from '../family.ts'
import { adviceOn } from './advice.ts'
import { refusedIn } from './omissions.ts'

export const CLASS_HEADER = 'x-amzn-errortype'

/** What an error says, whole or within a stream. */
export interface Signal {
  /** The class of the exception; empty where none is named. */
  name: string
  status: number
  message: string
  /** What the model's own server answered. */
  originalStatus: number | null
}

type Verdict = readonly [code: FailureCode, retry?: Retry]

/** An answer that is no result, by meaning. The class is in a header, or in the body. */
export function failureFromWire(status: number, body: unknown, header?: ResponseHeader): Failure {
  const fields = isJsonObject(body) ? body : {}
  const message = fields['message'] ?? fields['Message'] ?? fields['originalMessage']
  const original = fields['originalStatusCode']
  return failureOf({
    name: bareName(header?.(CLASS_HEADER) ?? fields['__type']),
    status,
    message: typeof message === 'string' ? message : '',
    originalStatus: typeof original === 'number' ? original : null,
  })
}

export function failureOf(signal: Signal): Failure {
  const { status, message } = signal
  const [code, retry] = verdictOn(signal)
  const said = message === '' ? defaultWords(status) : scrubMessage(withoutCanonical(message))
  const advice = adviceOn(signal)
  const words = advice === null ? said : worded`${named(advice)} (${said})`
  const refused = code === 'invalid_request' ? refusedIn(message) : null
  const deviation = { said: { codes: [signal.name] }, ...(refused === null ? {} : { refusedField: refused }) }
  return failure(code, words, status, retry === undefined ? deviation : { ...deviation, retry })
}

/** A signature that does not fit is answered with all that was signed, the session's token included. */
export function withoutCanonical(message: string): string {
  return message.replace(/\s*The Canonical String[\s\S]*$/i, '')
}

/** `ThrottlingException:http://…`, or `com.amazon.coral.service#ThrottlingException`. */
function bareName(name: unknown): string {
  return typeof name === 'string' ? (name.split(':')[0] ?? '').replace(/^.*#/, '').trim() : ''
}

function defaultWords(status: number): Worded {
  return status >= 200 && status < 300
    ? worded`The provider's answer cannot be read.`
    : worded`The provider answered with status ${status}.`
}

const TOO_LONG_TEXT = /input is too long|too many input tokens|prompt is too long|exceed context limit/i
/** The apostrophe is typographic on some days. */
const NO_MODEL_TEXT = /on-demand throughput isn.t supported|model identifier is invalid/i

function verdictOn(signal: Signal): Verdict {
  switch (signal.name) {
    case 'ValidationException':
      if (TOO_LONG_TEXT.test(signal.message)) return ['context_length_exceeded']
      return NO_MODEL_TEXT.test(signal.message) ? ['model_not_found'] : ['invalid_request']
    case 'AccessDeniedException':
      return ['provider_auth_error']
    case 'ExpiredToken':
    case 'ExpiredTokenException':
    case 'UnrecognizedClientException':
    case 'InvalidSignatureException':
      return ['provider_auth_error', 'new-token']
    case 'ResourceNotFoundException':
      return ['model_not_found']
    case 'ModelTimeoutException':
      return ['upstream_timeout']
    case 'ModelErrorException':
    case 'ModelStreamErrorException':
      return verdictOnModel(signal.originalStatus)
    case 'ThrottlingException':
      return ['rate_limited']
    case 'ModelNotReadyException':
      return ['provider_overloaded', 'short-wait']
    case 'ServiceQuotaExceededException':
      return ['provider_quota_exceeded']
    case 'ConflictException':
    case 'InternalServerException':
      return ['upstream_error']
    case 'ServiceUnavailableException':
      return ['provider_overloaded']
    default:
      return verdictOnStatus(signal.status)
  }
}

/** A fault of this model: another one may do better. */
function verdictOnModel(status: number | null): Verdict {
  switch (status) {
    case 408:
    case 504:
      return ['upstream_timeout']
    case 429:
      return ['rate_limited']
    case 503:
    case 529:
      return ['provider_overloaded']
    default:
      return ['upstream_error']
  }
}

/** Of a proxy in between, or of a class that is new. */
function verdictOnStatus(status: number): Verdict {
  switch (status) {
    case 401:
    case 403:
      return ['provider_auth_error']
    case 404:
      return ['model_not_found']
    case 408:
    case 504:
      return ['upstream_timeout']
    case 413:
      return ['request_too_large']
    case 429:
      return ['rate_limited']
    case 503:
      return ['provider_overloaded']
    default:
      if (status >= 500) return ['upstream_error']
      if (status >= 400) return ['invalid_request']
      return ['upstream_error', status >= 300 ? 'no' : 'once']
  }
}
