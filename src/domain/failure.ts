import { ERRORS, type ErrorCode, looksLikeSecret } from './errors.ts'
import { fieldPath } from './wording/field-path.ts'
import type { Worded } from './wording/worded.ts'

/** Whether a later entry of the chain may serve a call that failed here. */
export type NextEntry = 'any' | 'larger-window' | 'none'

/**
 * Whether the same entry may be retried; `never` overrides even the provider's `x-should-retry: true`. `new-token`: once,
 * where the token that was refused is one that the gateway had fetched and can fetch again.
 */
export type Retry = 'yes' | 'once' | 'short-wait' | 'new-token' | 'no' | 'never'

/** A field that the provider does not accept, and the name that it requires; null when it names none. */
export interface RefusedField {
  name: string
  instead: string | null
  /** The provider does not know it, rather than its value. A path, where it is deep in the body. */
  isUnknown?: true
  /** Only these values of a list are refused, in the body or in a header field of the caller's. */
  values?: readonly string[]
  /** One value is refused, and not said which: what is known to be taken, in lists that become shorter. */
  keeps?: readonly (readonly string[])[]
}

/** One upstream call that failed, by meaning rather than by status. */
export interface Failure {
  /** What the caller sees if this is the last attempt. */
  code: ErrorCode
  /** The provider's message after scrubbing, or ours. */
  message: string
  /** The same as the request log keeps it: nothing that the provider wrote. */
  kept: string
  /** The provider's own code of the error, where it has the shape of one. */
  providerCode: string | null
  /** The field that it is about. */
  param: string | null
  /** HTTP status of the provider; null when it did not answer. */
  status: number | null
  next: NextEntry
  retry: Retry
  retryAfterMs: number | null
  /** The provider's own verdict (`x-should-retry`). */
  shouldRetry: boolean | null
  refusedField: RefusedField | null
  /** The provider's own body as JSON, without secrets, where it spoke the caller's format and the fault is the caller's. */
  original?: string
}

const CALLERS_FAULTS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_request',
  'unsupported_parameter',
  'context_length_exceeded',
  'content_filtered',
  'request_too_large',
])

export function isCallersFault({ code }: Pick<Failure, 'code'>): boolean {
  return CALLERS_FAULTS.has(code)
}

const USUAL = {
  invalid_request: { next: 'none', retry: 'no' },
  unsupported_parameter: { next: 'none', retry: 'no' },
  content_filtered: { next: 'none', retry: 'no' },
  request_too_large: { next: 'none', retry: 'no' },
  context_length_exceeded: { next: 'larger-window', retry: 'no' },
  model_not_found: { next: 'any', retry: 'no' },
  provider_auth_error: { next: 'any', retry: 'no' },
  provider_quota_exceeded: { next: 'any', retry: 'never' },
  rate_limited: { next: 'any', retry: 'short-wait' },
  provider_overloaded: { next: 'any', retry: 'yes' },
  upstream_error: { next: 'any', retry: 'yes' },
  upstream_timeout: { next: 'any', retry: 'no' },
  /** Our own failure after the provider has answered and charged: never retried. */
  internal_error: { next: 'none', retry: 'never' },
} as const satisfies Partial<Record<ErrorCode, { next: NextEntry; retry: Retry }>>

export type FailureCode = keyof typeof USUAL

/** What a provider's error names. */
export interface ProviderWords {
  /** Codes and types, the most specific first. */
  codes?: readonly (string | null | undefined)[]
  param?: string | null | undefined
}

interface Deviation {
  retry?: Retry
  refusedField?: RefusedField | null
  said?: ProviderWords
}

/**
 * A failure with the default consequences of its code; `deviation` overrides them. A plain text is the provider's
 * message: it is shown to the caller, never stored.
 */
export function failure(
  code: FailureCode,
  message: string | Worded,
  status: number | null,
  { said = {}, ...deviation }: Deviation = {},
): Failure {
  const unsaid = { retryAfterMs: null, shouldRetry: null, refusedField: null }
  // Who is not known, rather than not allowed to, may be known by another token.
  const isUnknown = code === 'provider_auth_error' && status === 401
  const usual = isUnknown ? ({ next: 'any', retry: 'new-token' } as const) : USUAL[code]
  const words =
    typeof message === 'string'
      ? { message, kept: foreignWords(code, status) }
      : { message: message.text, kept: message.kept }
  const named = { providerCode: codeIn(said.codes ?? []), param: fieldPath(said.param ?? '') }
  return { code, ...words, ...named, status, ...usual, ...unsaid, ...deviation }
}

/** The same without secrets of the provider: `clean` takes them out of a text. */
export function cleaned(failed: Failure, clean: (text: string) => string): Failure {
  const { message, providerCode: code } = failed
  return { ...failed, message: clean(message), providerCode: code !== null && clean(code) === code ? code : null }
}

function foreignWords(code: ErrorCode, status: number | null): string {
  const answered = status === null ? '' : ` The provider answered HTTP ${status}; its message is not stored.`
  return `${ERRORS[code].text}${answered}`
}

/** Words of letters, few digits: no sentence has this shape, and no key. */
const CODE = /^[A-Za-z][A-Za-z]*(?:[_.-]?[A-Za-z]+|[_.-]?\d{1,4}(?!\d))*$/
const LONGEST_CODE = 64
const MOST_DIGITS = 6

/** The first that has the shape of a code. */
function codeIn(codes: NonNullable<ProviderWords['codes']>): string | null {
  return codes.find((code): code is string => typeof code === 'string' && isCode(code)) ?? null
}

function isCode(text: string): boolean {
  if (text.length > LONGEST_CODE) return false
  return CODE.test(text) && text.replaceAll(/\D/g, '').length <= MOST_DIGITS && !looksLikeSecret(text)
}
