import type { CallReply } from '../../http/call.ts'
import type { Ended } from '../stages.ts'
import type { KeptOutcome } from './idempotency.ts'

/** A stream that was cut after content was charged: its repeat is refused, never charged again. */
export function outcomeOf({ call, error }: Ended, reply: CallReply | null): KeptOutcome {
  const { served, delivery } = call
  if (served !== undefined && 'stream' in served.answer) {
    const sent = error === null ? delivery?.replay : null
    if (sent === null || sent === undefined || reply === null || !('rest' in reply)) return { replay: null }
    return { replay: { status: 200, headers: sent.head.headers, body: sent.text + reply.rest } }
  }
  return reply !== null && 'status' in reply && reply.status === 200 ? { replay: reply } : null
}
