import type { Provider } from '../domain/provider.ts'
import type { HttpTarget } from '../upstream/target.ts'

/** A request as it will be sent, for signing. */
export interface OutgoingRequest extends HttpTarget {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  body: Uint8Array | string | null
  /** A shorter timeout than usual, for servers that may not exist. */
  timeoutMs?: number
}

/** Fetched credentials, kept in memory only. */
export interface Token {
  /** By the names that the family gives them. */
  values: Readonly<Record<string, string>>
  /** Unix milliseconds; null: it does not expire. */
  expiresAt: number | null
}

/** The effects that fetching a token may have. */
export interface TokenTools {
  now(): number
  environment: Readonly<Record<string, string | undefined>>
  readFile(path: string): Promise<string>
  /** Rejects with an `AuthorizationError` when there is no answer. */
  request(request: OutgoingRequest): Promise<{ status: number; text: string }>
}

/** How a family's providers know who calls, where a key in a header is not enough: signed requests, fetched tokens. */
export interface Authorization {
  /** False: for this provider the headers of its target are all. */
  appliesTo(provider: Provider): boolean
  /** Missing, or false: what is stored is enough. */
  needsToken?(provider: Provider): boolean
  /** Throws an `AuthorizationError`. Tokens are kept and renewed by `tokens.ts`. */
  fetchToken?(provider: Provider, tools: TokenTools): Promise<Token>
  /** Header fields beside those of the request. `token`: null where none is needed. */
  headers(
    request: OutgoingRequest,
    provider: Provider,
    token: Token | null,
    now: number,
  ): Record<string, string> | Promise<Record<string, string>>
}

/** Why no credentials are available, in a sentence for the operator; never with a secret. */
export class AuthorizationError extends Error {
  /** The server of the tokens did not answer in time. */
  readonly isTimeout: boolean

  constructor(message: string, { isTimeout = false, ...options }: ErrorOptions & { isTimeout?: boolean } = {}) {
    super(message, options)
    this.isTimeout = isTimeout
  }
}
