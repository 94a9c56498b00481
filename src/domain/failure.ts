import type { ErrorCode } from './errors.ts'

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
}

/** One upstream call that failed, by meaning rather than by status. */
export interface Failure {
  /** What the caller sees if this is the last attempt. */
  code: ErrorCode
  /** The provider's message after scrubbing, or ours. */
  message: string
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

/** A failure with the default consequences of its code; `deviation` overrides them. */
export function failure(
  code: FailureCode,
  message: string,
  status: number | null,
  deviation: { retry?: Retry; refusedField?: RefusedField | null } = {},
): Failure {
  const unsaid = { retryAfterMs: null, shouldRetry: null, refusedField: null }
  // Who is not known, rather than not allowed to, may be known by another token.
  const isUnknown = code === 'provider_auth_error' && status === 401
  const usual = isUnknown ? ({ next: 'any', retry: 'new-token' } as const) : USUAL[code]
  return { code, message, status, ...usual, ...unsaid, ...deviation }
}
