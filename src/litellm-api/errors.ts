import type { z } from 'zod'
import { type ErrorCode, GatewayError } from '../domain/errors.ts'
import type { Reply } from '../http/call.ts'
import { errorReply, jsonReply } from '../http/respond.ts'

/** Where LiteLLM answers with another status, and its names for errors. */
const ROWS: Partial<Record<ErrorCode, { status?: number; type: string }>> = {
  unauthorized: { type: 'auth_error' },
  forbidden: { type: 'auth_error' },
  not_found: { type: 'not_found_error' },
  conflict: { status: 400, type: 'bad_request_error' },
  managed_by_config: { status: 400, type: 'bad_request_error' },
  budget_exceeded: { type: 'budget_exceeded' },
}

/** `code` is the status, as text. */
export function litellmError(error: GatewayError, headers: Record<string, string> = {}): Reply {
  const row = ROWS[error.code]
  const status = row?.status ?? error.status
  const type = row?.type ?? (status < 500 ? 'bad_request_error' : 'internal_server_error')
  const param = error.details?.['param'] ?? null
  const body = { error: { message: error.message, type, param, code: String(status) } }
  return errorReply(error, headers, () => ({ status, body }))
}

/** A request that is about a field, which the answer names. */
export function wrongField(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', `${param}: ${message}`, { details: { param } })
}

export function notFound(what: string): GatewayError {
  return new GatewayError('not_found', `${what} not found in database.`)
}

/** A body or query of the wrong shape. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError'
  readonly #part: 'body' | 'query'
  readonly #error: z.ZodError

  constructor(part: 'body' | 'query', error: z.ZodError) {
    super('wrong shape')
    this.#part = part
    this.#error = error
  }

  reply(): Reply {
    const detail = this.#error.issues.map(({ path, message, code }) => ({
      loc: [this.#part, ...path.map((step) => (typeof step === 'symbol' ? String(step) : step))],
      msg: message,
      type: code,
    }))
    return jsonReply(422, { detail })
  }
}
