import type { CallReply } from '../../http/call.ts'
import { gatewayFields } from '../gateway-fields.ts'
import type { Ended } from '../stages.ts'
import type { StoredAnswer } from './stored-answer.ts'

/** Null: this answer must not be reused. */
export function storedAnswerOf(
  { call, error }: Ended,
  reply: CallReply | null,
  withTools: boolean,
): StoredAnswer | null {
  const { id, served, cost, adjustments } = call
  // The answer of a fallback would outlive the failure that it replaces.
  if (error !== null || reply === null || served === undefined || served.position > 0) return null
  // Shorter than asked for, or of a cheaper model, because of what was left of a budget at that moment.
  if (adjustments.some(({ reason }) => reason === 'fitted_to_budget' || reason === 'stepped_down')) return null
  const { finishReason } = served.answer
  if (!withTools && CALLS_TOOLS.has(finishReason ?? '')) return null
  const body = bodyOf(call, reply)
  if (body === null) return null
  const { provider, model } = served.entry
  return {
    ...{ id, provider, model, adjustments, finishReason, body: Buffer.from(body) },
    ignored: served.ignored,
    costPicodollars: cost?.picodollars?.toString() ?? null,
    stream: 'stream' in served.answer ? { events: served.answer.events, gateway: gatewayFields(served, cost) } : null,
  }
}

const CALLS_TOOLS: ReadonlySet<string> = new Set(['tool_calls', 'function_call', 'tool_use'])

function bodyOf({ delivery }: Ended['call'], reply: CallReply): string | Uint8Array | null {
  if (!('rest' in reply)) {
    const isJson = reply.headers['content-type']?.startsWith('application/json') === true
    return reply.status === 200 && isJson ? reply.body : null
  }
  const sent = delivery?.replay ?? null
  return sent === null || typeof reply.rest !== 'string' ? null : sent.text + reply.rest
}
