import type { CallReply } from '../../http/call.ts'
import type { Ended } from '../stages.ts'
import type { KeptOutcome } from './idempotency.ts'

/** What was charged is never charged again: without an answer to replay, its repeat is refused. */
export function outcomeOf({ call, error }: Ended, reply: CallReply | null): KeptOutcome {
  const { served, delivery, cost } = call
  const cut = delivery === null || error === null ? {} : { cut: { picodollars: cost?.picodollars ?? null } }
  if (served !== undefined && 'stream' in served.answer) {
    const sent = error === null ? delivery?.replay : null
    if (sent === null || sent === undefined || reply === null || !('rest' in reply)) return { replay: null, ...cut }
    const headers = { ...sent.head.headers, ...reply.trailers }
    const { rest } = reply
    const body = typeof rest === 'string' ? sent.text + rest : Buffer.concat([Buffer.from(sent.text, 'latin1'), rest])
    return { replay: { status: 200, headers, body } }
  }
  if (error === null && reply !== null && 'status' in reply && reply.status === 200) return { replay: reply }
  return (cost?.picodollars ?? 0n) > 0n ? { replay: null, ...cut } : null
}
