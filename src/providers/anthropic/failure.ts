import { scrubMessage } from '../../domain/errors.ts'
import { type Failure, type FailureCode, failure, type Retry } from '../../domain/failure.ts'
import { isJsonObject } from '../../domain/request/call-request.ts'
import { type Worded, worded } from '../../domain/wording/worded.ts'
import { unknownField } from './refused.ts'
import { WireError } from './wire.ts'

/** The input of the rows below. */
interface Signal {
  /** The effective status: the HTTP status, or the one implied by an error within a 2xx. */
  status: number
  errorCode: string
  message: string
}

interface Verdict {
  code: FailureCode
  retry?: Retry
}

/** The status of an `error.type` that comes with a 2xx. */
const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['conflict_error', 409],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['ramp_limit_exceeded', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
])

/** Messages are documented as unstable: they are read only where status and codes are ambiguous. */
const QUOTA_TEXT = /credit balance is too low|usage limits|spend limit/i
const TOO_LONG_TEXT = /prompt is too long|exceed context limit/i
const UNSUPPORTED_TEXT =
  /(?:is|are) not supported for this model|does not support|Extra inputs are not permitted|cannot both be specified|is deprecated for this model/i
/** Undocumented: it means the same as the other family's content_policy_violation. */
const FILTERED_TEXT = /content filtering policy/i
/** A message about a field begins with its name. */
const FIELD_TEXT = /^([a-z][a-z_]{0,63}): /
/** The operator's account is at fault, not the request. */
const ACCOUNT_CODE = /^(?:organization_on_hold$|cmek_|claude_code_)/
const SPEND_LIMIT_CODE = 'enforced_spend_limit_reached'

/** An answer that is not a message, by meaning. */
export function failureFromWire(status: number, body: unknown): Failure {
  const error = errorOf(body)
  const message = error?.message ?? null
  const isSuccess = status >= 200 && status < 300
  const meantStatus = isSuccess ? (STATUS_OF_TYPE.get(error?.type ?? '') ?? status) : status
  const signal = { status: meantStatus, errorCode: error?.details?.error_code ?? '', message: message ?? '' }
  const { code, ...deviation } = verdictOn(signal)
  const words = message === null || message === '' ? defaultWords(status) : scrubMessage(message)
  const refused = status === 400 ? FIELD_TEXT.exec(message ?? '')?.[1] : undefined
  const named = refused === undefined ? null : { name: refused, instead: null }
  const refusedField = (status === 400 ? unknownField(message ?? '') : null) ?? named
  const said = { codes: [error?.details?.error_code, error?.type], param: refused }
  return failure(code, words, status, { ...deviation, refusedField, said })
}

/** An error within a 2xx: `type: "error"`, or an `error` object where the content should be. */
export function isErrorBody(body: unknown): boolean {
  if (!isJsonObject(body)) return false
  return body['type'] === 'error' || (isJsonObject(body['error']) && !Array.isArray(body['content']))
}

function errorOf(body: unknown) {
  const parsed = WireError.safeParse(body)
  return parsed.success ? parsed.data.error : null
}

function defaultWords(status: number): Worded {
  return status >= 200 && status < 300
    ? worded`The provider's answer cannot be read.`
    : worded`The provider answered with status ${status}.`
}

function verdictOn(signal: Signal): Verdict {
  switch (signal.status) {
    case 400:
      return verdictOnBadRequest(signal)
    case 401:
    case 403:
      return { code: 'provider_auth_error' }
    case 402:
      return { code: 'provider_quota_exceeded' }
    case 404:
      return { code: 'model_not_found' }
    case 408:
    case 409:
      return { code: 'upstream_error' }
    case 413:
      return { code: 'request_too_large' }
    case 429:
      return { code: signal.errorCode === SPEND_LIMIT_CODE ? 'provider_quota_exceeded' : 'rate_limited' }
    case 503:
    case 529:
      return { code: 'provider_overloaded' }
    case 504:
      return { code: 'upstream_timeout' }
    default:
      return verdictOnClass(signal.status)
  }
}

/** A bad request may be the caller's mistake, or the operator's empty or suspended account. */
function verdictOnBadRequest({ errorCode, message }: Signal): Verdict {
  if (ACCOUNT_CODE.test(errorCode)) return { code: 'provider_auth_error' }
  if (errorCode === SPEND_LIMIT_CODE || QUOTA_TEXT.test(message)) return { code: 'provider_quota_exceeded' }
  if (TOO_LONG_TEXT.test(message)) return { code: 'context_length_exceeded' }
  if (UNSUPPORTED_TEXT.test(message)) return { code: 'unsupported_parameter' }
  if (FILTERED_TEXT.test(message)) return { code: 'content_filtered' }
  return { code: 'invalid_request' }
}

function verdictOnClass(status: number): Verdict {
  if (status >= 500) return { code: 'upstream_error' }
  if (status >= 400) return { code: 'invalid_request' }
  if (status >= 300) return { code: 'upstream_error', retry: 'no' }
  return { code: 'upstream_error', retry: 'once' }
}
