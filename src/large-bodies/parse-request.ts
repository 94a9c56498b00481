import { isUtf8 } from 'node:buffer'
import { type ChatRequest, checkFaithful, parseChatRequest } from '../domain/chat.ts'
import { GatewayError } from '../domain/errors.ts'

export function parseRequest(body: Buffer): ChatRequest {
  const value = parseJson(body)
  const request = parseChatRequest(value)
  checkFaithful(value)
  return request
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
