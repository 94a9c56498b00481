import { isJsonObject } from '../../../domain/request/call-request.ts'
import type { Reading } from '../../family.ts'
import { failureFromWire, isErrorBody } from '../failure.ts'
import { ending } from '../finish-reason.ts'
import { readUsage, unpricedUse } from '../usage.ts'

const OK = 200

/** A 2xx body, which passes as it is: only what the log and the price need is read. */
export function fromWire(body: unknown): Reading {
  if (!isJsonObject(body) || isErrorBody(body) || !Array.isArray(body['content'])) {
    return { kind: 'failure', failure: failureFromWire(OK, body) }
  }
  const { content, stop_reason: stopReason, usage } = body
  const hasToolCalls = (content as unknown[]).some((block) => isJsonObject(block) && block['type'] === 'tool_use')
  const end = ending(typeof stopReason === 'string' ? stopReason : null, hasToolCalls, false, null)
  const warning = [end.warning, unpricedUse(usage)].filter((each) => each !== null).join('; ') || null
  return { kind: 'answer', answer: { body, usage: readUsage(usage), finishReason: end.reason, warning } }
}
