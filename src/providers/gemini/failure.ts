import { scrubMessage } from '../../domain/errors.ts'
import { type Failure, type FailureCode, failure, type Retry } from '../../domain/failure.ts'
import { worded } from '../../domain/wording/worded.ts'
import { WireError } from './wire.ts'

/** What an error says; messages are read only where nothing else distinguishes the cases. */
interface Signal {
  status: number
  name: string
  message: string
  reasons: readonly string[]
  quotas: readonly string[]
}

type Verdict = readonly [FailureCode, Retry?]

const TOO_LONG = /token count.*exceeds|exceeds the maximum number of (?:input )?tokens/is
const BAD_KEY = /API key (?:not valid|expired|not found)/i
const UNSUPPORTED = /not supported|unsupported|Unknown name|is not enabled for/i

/** An answer that is not a 2xx, by meaning. */
export function failureFromWire(status: number, body: unknown): Failure {
  const parsed = WireError.safeParse(body)
  const error = parsed.success ? parsed.data.error : null
  const details = error?.details ?? []
  const message = error?.message ?? ''
  const [code, retry] = verdictOn({
    status,
    name: error?.status ?? '',
    message,
    reasons: details.map(({ reason }) => reason ?? ''),
    quotas: details.flatMap(({ violations }) => violations ?? []).map(({ quotaId }) => quotaId ?? ''),
  })
  const words = message === '' ? worded`The provider answered with status ${status}.` : scrubMessage(message)
  const said = { codes: [...details.map(({ reason }) => reason), error?.status] }
  const failed = failure(code, words, status, retry === undefined ? { said } : { retry, said })
  return { ...failed, retryAfterMs: waitOf(details) }
}

/** An error within a 2xx, whole or in a stream; null when the body holds none. */
export function failureIn(body: unknown): Failure | null {
  const parsed = WireError.safeParse(body)
  if (!parsed.success) return null
  const { code } = parsed.data.error
  const isStatus = typeof code === 'number' && Number.isInteger(code) && code >= 400 && code <= 599
  return failureFromWire(isStatus ? code : 500, body)
}

/** The caller named it: of another account, or it has expired. The key is fine. */
const NO_CACHE = /\bCachedContent not found/i

function verdictOn(signal: Signal): Verdict {
  if (NO_CACHE.test(signal.message)) return ['invalid_request']
  switch (signal.status) {
    case 400:
      return [badRequest(signal)]
    case 401:
    case 403:
      return ['provider_auth_error']
    // Prepaid credit is used up.
    case 402:
      return ['provider_quota_exceeded']
    case 404:
      return ['model_not_found']
    case 408:
    case 409:
      return ['upstream_error']
    case 413:
      return ['request_too_large']
    // A day's quota comes back tomorrow, not in the seconds that the answer names.
    case 429:
      return [signal.quotas.some((id) => id.includes('PerDay')) ? 'provider_quota_exceeded' : 'rate_limited']
    // It has seen us leave.
    case 499:
      return ['upstream_error', 'no']
    case 503:
      return ['provider_overloaded']
    case 504:
      return ['upstream_timeout']
  }
  if (signal.status >= 500) return ['upstream_error']
  return signal.status >= 400 ? ['invalid_request'] : ['upstream_error', 'no']
}

/** A bad request may be the caller's mistake, or the operator's key, region or billing. */
function badRequest({ name, message, reasons }: Signal): FailureCode {
  if (name === 'FAILED_PRECONDITION' || reasons.some((reason) => reason.startsWith('API_KEY_'))) {
    return 'provider_auth_error'
  }
  if (BAD_KEY.test(message)) return 'provider_auth_error'
  if (TOO_LONG.test(message)) return 'context_length_exceeded'
  return UNSUPPORTED.test(message) ? 'unsupported_parameter' : 'invalid_request'
}

const RETRY_INFO = /RetryInfo$/

/** The wait that an error asks for: `37s`, `0.25s`. */
function waitOf(
  details: readonly { '@type'?: string | null | undefined; retryDelay?: string | null | undefined }[],
): number | null {
  const delay = details.find((each) => RETRY_INFO.test(each['@type'] ?? ''))?.retryDelay ?? ''
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(delay)?.[1]
  return seconds === undefined ? null : Math.ceil(Number(seconds) * 1000)
}
