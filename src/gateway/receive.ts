import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { type ChatRequest, checkFaithful, parseChatRequest } from '../domain/chat.ts'
import { GatewayError } from '../domain/errors.ts'
import { checkedIdempotencyKey, type IdempotentBody } from '../domain/idempotency.ts'
import type { Call } from '../http/call.ts'

export interface Received {
  request: ChatRequest
  /** The body as it came. */
  source: Buffer
  /** Null without the header `Idempotency-Key`. */
  idempotency: IdempotentBody | null
}

/** Reads and checks the body. Everything here is the caller's to mend, so every message says what would be right. */
export async function receive(call: Call, maxBodyBytes: number): Promise<Received> {
  checkMediaType(call)
  const idempotencyKey = checkedIdempotencyKey(call.header('idempotency-key'))
  const source = await call.readBody(maxBodyBytes)
  const request = checkedRequest(parseJson(source))
  const idempotency = idempotencyKey === null ? null : { idempotencyKey, bodyHash: hash('sha256', source, 'hex') }
  return { request, source, idempotency }
}

/** A chat request that can be sent on faithfully. */
export function checkedRequest(value: unknown): ChatRequest {
  const request = parseChatRequest(value)
  checkFaithful(value)
  return request
}

function checkMediaType(call: Call): void {
  const type = call.header('content-type')
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new GatewayError('unsupported_media_type', `Send the body as application/json, not ${type.slice(0, 100)}.`)
  }
  const encoding = call.header('content-encoding')
  if (encoding !== undefined && encoding !== 'identity') {
    throw new GatewayError('unsupported_media_type', 'Send the body uncompressed: content-encoding is not supported.')
  }
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw new GatewayError('invalid_request', 'The body is empty; send a JSON object.')
  if (!isUtf8(body)) throw new GatewayError('invalid_request', 'The body is not valid UTF-8.')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    // V8's message quotes the body, and content must not reach a log: ours does not.
    throw new GatewayError('invalid_request', 'The body is not valid JSON.')
  }
}
