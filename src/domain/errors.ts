import type { Worded } from './wording/worded.ts'

interface ErrorRow {
  status: number
  text: string
  /**
   * The same request fails again until a person changes something: a client should not retry it automatically. Official
   * clients go by the status, and retry every 409, 429 and 5xx.
   */
  isFinal?: boolean
}

/**
 * Every error a caller can see. `type` and `code` in the answer are both the key of the row (docs/contract.md);
 * docs/errors.md lists the same rows and a test holds the two together.
 */
export const ERRORS = {
  invalid_request: { status: 400, isFinal: true, text: 'The request is not valid.' },
  unsupported_parameter: {
    status: 400,
    isFinal: true,
    text: 'A parameter is not supported by any entry of the chain.',
  },
  context_length_exceeded: { status: 400, isFinal: true, text: 'The prompt is too long for the model.' },
  content_filtered: { status: 400, isFinal: true, text: 'The provider refused the request on policy grounds.' },
  blocked_by_guardrail: { status: 400, isFinal: true, text: 'A guardrail of the workspace blocked the call.' },
  loop_stopped: { status: 400, isFinal: true, text: 'The session was stopped because it looks like a loop.' },
  unauthorized: {
    status: 401,
    isFinal: true,
    text: 'Send a valid gateway key: "Authorization: Bearer <GATEWAY_KEY>".',
  },
  budget_exceeded: { status: 402, isFinal: true, text: 'The budget is used up.' },
  price_unknown: {
    status: 402,
    isFinal: true,
    text: 'A hard budget applies, and the price of the model is unknown.',
  },
  length_unknown: {
    status: 402,
    isFinal: true,
    text: 'A hard budget applies, and the maximum output length is unknown.',
  },
  forbidden: { status: 403, isFinal: true, text: 'This key may not do that.' },
  model_not_found: { status: 404, isFinal: true, text: 'No alias or model has this name.' },
  not_found: { status: 404, isFinal: true, text: 'There is nothing at this path.' },
  method_not_allowed: { status: 405, isFinal: true, text: 'This path does not support this method.' },
  request_timeout: { status: 408, text: 'The request arrived too slowly. Send it again.' },
  conflict: { status: 409, isFinal: true, text: 'The request conflicts with the current state.' },
  managed_by_config: {
    status: 409,
    isFinal: true,
    text: 'This object is managed by the configuration file. Change it there.',
  },
  precondition_failed: {
    status: 412,
    isFinal: true,
    text: 'The object has changed. Read it again and send the new ETag as If-Match.',
  },
  request_too_large: { status: 413, isFinal: true, text: 'The request body is too large.' },
  unsupported_media_type: { status: 415, isFinal: true, text: 'Send the body as application/json, not compressed.' },
  websocket_not_offered: {
    status: 426,
    isFinal: true,
    text: 'There are no WebSockets here: send the request by POST.',
  },
  rate_limited: { status: 429, text: 'The provider is rate-limiting the provider key.' },
  key_rate_limited: { status: 429, text: 'The limit of this key or workspace is reached.' },
  loop_slowed: { status: 429, text: 'The session was slowed down because it looks like a loop.' },
  too_many_attempts: { status: 429, text: 'Too many attempts with a wrong admin key. Retry in a few seconds.' },
  internal_error: { status: 500, text: 'The gateway failed; its log has the details under this request id.' },
  not_implemented: {
    status: 501,
    isFinal: true,
    text: 'Streaming is off in this workspace: send "stream": false or leave it out. An operator can switch it on.',
  },
  upstream_error: { status: 502, text: 'The provider failed or gave an unusable answer.' },
  provider_auth_error: { status: 502, isFinal: true, text: "The provider rejected the gateway's own credentials." },
  overloaded: { status: 503, text: 'The gateway is overloaded. Retry shortly.' },
  buffer_full: { status: 503, text: 'The gateway has no memory left for request bodies. Retry shortly.' },
  log_full: { status: 503, text: 'The request log is full; calls are refused until the database catches up.' },
  database_unavailable: { status: 503, text: 'The database is unavailable. Retry later.' },
  limits_unavailable: { status: 503, text: 'The limits of this call cannot be checked right now. Retry shortly.' },
  guardrail_unavailable: {
    status: 503,
    text: 'The guardrail of the workspace gave no verdict. Retry shortly.',
  },
  provider_quota_exceeded: {
    status: 503,
    isFinal: true,
    text: "The gateway's account at the provider is out of credit.",
  },
  provider_overloaded: { status: 503, text: 'The provider is overloaded.' },
  provider_not_configured: { status: 503, isFinal: true, text: 'The provider has no API key.' },
  no_provider_available: { status: 503, text: 'No entry of the chain is available right now.' },
  upstream_timeout: { status: 504, text: 'The provider did not answer in time.' },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

/** Logged when the caller hung up; never sent, so not a row of the table. */
export const CALLER_LEFT = { status: 499, code: 'caller_left' } as const

/** Logged for a call whose process died before it ended. */
export const INTERRUPTED = { status: 0, code: 'interrupted' } as const

export type LoggedCode = ErrorCode | typeof CALLER_LEFT.code | typeof INTERRUPTED.code

export interface ErrorExtras {
  /** Seconds, for the `retry-after` header. */
  retryAfterSeconds?: number | undefined
  /** Where this one differs from the others of its code. */
  isFinal?: boolean | undefined
  /** The figures of the message, for programs. */
  details?: Record<string, unknown> | undefined
  /** For the request log: what could be read of the body that was refused. */
  refused?: RefusedBody | undefined
  /** The provider's own words as JSON, without secrets, where it spoke the caller's format. */
  original?: string | undefined
  /** The provider's own code of the error. */
  providerCode?: string | null | undefined
  cause?: unknown
}

/** All that is kept of a body that was refused. */
export interface RefusedBody {
  /** Null where none could be read. */
  model: string | null
  /** As many as there are, or as were read or declared where it was too large. */
  bytes: number
}

/** The one exception that becomes an answer. Anything else thrown is a fault of ours: `internal_error`. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: ErrorCode
  readonly retryAfterSeconds: number | undefined
  readonly isFinal: boolean
  readonly details: Record<string, unknown> | undefined
  readonly refused: RefusedBody | undefined
  readonly original: string | undefined
  readonly providerCode: string | null
  /** The message as the request log keeps it (worded.ts). */
  readonly worded: Worded

  /** Of a message that is no more than a text, the request log keeps the usual text of the code. */
  constructor(code: ErrorCode, message: string | Worded = ERRORS[code].text, extras: ErrorExtras = {}) {
    const isText = typeof message === 'string'
    super(isText ? message : message.text, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.worded = isText ? { text: message, kept: ERRORS[code].text, param: null } : message
    this.code = code
    this.retryAfterSeconds = extras.retryAfterSeconds
    const row: ErrorRow = ERRORS[code]
    this.isFinal = extras.isFinal ?? row.isFinal ?? false
    this.details = extras.details
    this.refused = extras.refused
    this.original = extras.original
    this.providerCode = extras.providerCode ?? null
  }

  get status(): number {
    return ERRORS[this.code].status
  }
}

export interface ErrorBody {
  error: { message: string; type: ErrorCode; code: ErrorCode; details?: Record<string, unknown> }
}

export function errorBody(error: GatewayError): ErrorBody {
  const body: ErrorBody = { error: { message: error.message, type: error.code, code: error.code } }
  if (error.details !== undefined) body.error.details = error.details
  return body
}

/** How a format writes errors. */
export type ErrorFormat = (error: GatewayError, requestId: string) => WrittenError

export interface WrittenError {
  status: number
  /** A text is JSON already. */
  body: object | string
  /** Beside those that every error has. */
  headers?: Record<string, string>
}

/** The contract's format (docs/contract.md). */
export const contractError: ErrorFormat = (error) => ({ status: error.status, body: errorBody(error) })

/**
 * Anything that looks like a provider's or our own key, also with its middle masked, as providers echo it. A masked one
 * is looked for where a word begins and nowhere else: a long word would else be read once for each of its letters.
 */
const SECRET_PATTERN =
  /\b(?:sk|gw_live|gw_admin|pk|rk|key)[-_][A-Za-z0-9*_-]{6,}|Bearer\s+\S+|(?<![\w-])[\w-]*\*{4,}[\w*-]*/gi

/** Secrets of other kinds: signed tokens, keys of clouds and code hosts. */
const OTHER_SECRETS =
  /\beyJ[\w-]{8,}\.|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\b(?:gh[a-z]|github_pat|glpat|xox[a-z])[-_]\w{16,}/

/** For optional texts: better to drop one too many than to store a secret. */
export function looksLikeSecret(text: string): boolean {
  return text.search(SECRET_PATTERN) !== -1 || OTHER_SECRETS.test(text)
}

/** A provider's words, safe to show: no keys, not endless. */
export function scrubMessage(message: string): string {
  const clean = message.replace(SECRET_PATTERN, '[redacted]')
  return clean.length > 1000 ? `${clean.slice(0, 999)}…` : clean
}
