import { failure } from '../../../domain/failure.ts'
import { isJsonObject } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { fromWire as fromMessage } from '../../anthropic/response.ts'
import type { Reading } from '../../family.ts'
import { failureFromWire } from '../failure.ts'
import { isMalformed, messageOf, tierOf } from './message.ts'
import { tierPercent } from './tiers.ts'

const OK = 200

/** Reads a 2xx body as a completion or a failure. */
export function fromWire(body: unknown, request: ChatRequest): Reading {
  const message = messageOf(body)
  if (message === null || !isJsonObject(body)) return { kind: 'failure', failure: failureFromWire(OK, body) }
  if (isMalformed(message['stop_reason']) && isEmpty(message['content'])) return { kind: 'failure', failure: MALFORMED }
  const reading = fromMessage(message, request)
  if (reading.kind !== 'answer') return reading
  const { answer } = reading
  if (message['usage'] === null) answer.usage = null
  else if (answer.usage !== null) answer.usage = { ...answer.usage, pricePercent: tierPercent(tierOf(body)) }
  return reading
}

function isEmpty(content: unknown): boolean {
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : []
  return !blocks.some(({ type, text }) => type === 'tool_use' || (type === 'text' && text !== ''))
}

export const MALFORMED = failure('upstream_error', worded`The model wrote nothing that can be read.`, OK, {
  retry: 'yes',
})
