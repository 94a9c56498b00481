import { isUtf8 } from 'node:buffer'
import { type ChatRequest, checkFaithful, parseChatRequest } from './chat.ts'
import { GatewayError } from './errors.ts'

/** A body as it came, as a chat request. Everything wrong with it is the caller's to mend, so messages say what would be right. */
export function parseRequest(body: Buffer): ChatRequest {
  return checkedRequest(parseJson(body))
}

/** A chat request that can be sent on faithfully. */
export function checkedRequest(value: unknown): ChatRequest {
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
